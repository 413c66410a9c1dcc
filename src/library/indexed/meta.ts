import type { Database } from "../../store/sqlite.js";

export function readMeta(db: Database, key: string): string | undefined {
  return db.prepare<{ value: string }>("SELECT value FROM meta WHERE key = ?").get(key)?.value;
}

export function writeMeta(db: Database, key: string, value: string): void {
  db.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(key, value);
}
