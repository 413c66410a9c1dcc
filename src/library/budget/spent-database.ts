import { hash } from "node:crypto";
import { join } from "node:path";
import { ensureDataDir } from "../../store/data-dir.js";
import type { OwnDatabase } from "../../store/own-database.js";
import { DamagedContents, type Database, openDatabase, prepareOnce } from "../../store/sqlite.js";
import { SUMMED } from "./add-messages.js";

/*
 * What sessions spent, as a sum that grows with them: each message that counts, by file, and what they come to by session and
 * quarter of an hour. It takes the new bytes of a file to bring it up to date, and it can always be made again.
 */
const VERSION = 1;
const COUNTERS = "input, output, cache_read, cache_write, cache_write_5m, cache_write_1h, web_searches, web_fetches";
const columns = (names: string) => names.replaceAll(/\w+/g, (name) => `${name} INTEGER NOT NULL`);

/** `place` is JSON of a `KnownPlace`. */
const SCHEMA = `
  CREATE TABLE sessions (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, project TEXT);
  CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, session INTEGER NOT NULL, place TEXT NOT NULL);
  CREATE TABLE messages (key INTEGER NOT NULL, file INTEGER NOT NULL, time INTEGER, model TEXT, speed TEXT,
    is_copied INTEGER NOT NULL, ${columns(COUNTERS)}, PRIMARY KEY (key, file)) WITHOUT ROWID;
  CREATE INDEX messages_of_file ON messages (file);
  CREATE TABLE spent (slot INTEGER NOT NULL, session INTEGER NOT NULL, model TEXT NOT NULL, speed TEXT NOT NULL,
    ${columns(SUMMED)}, PRIMARY KEY (slot, session, model, speed)) WITHOUT ROWID;
  CREATE INDEX spent_of_session ON spent (session);
  CREATE TABLE told (session TEXT NOT NULL, what TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (session, what)) WITHOUT ROWID;
  CREATE TABLE asked (path TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  PRAGMA user_version = ${VERSION};`;

/** One for each set of folders: what another set spent is no part of it. */
export function spentDatabase(dataFolder: string, roots: readonly string[]): OwnDatabase {
  const name = hash("sha1", JSON.stringify([VERSION, ...roots])).slice(0, 12);
  return {
    path: join(ensureDataDir(dataFolder), `spent-${name}.db`),
    keptAside: 0,
    check(database) {
      const version = database.prepare<{ user_version: number }>("PRAGMA user_version").get()?.user_version;
      if (version !== VERSION) throw new DamagedContents("it has no known version");
    },
    checkContents(database) {
      database.prepare("SELECT count(*) FROM messages").get();
    },
    fill(draft) {
      const database = openDatabase(draft, { journal: "delete" });
      try {
        database.transaction(() => database.exec(SCHEMA));
      } finally {
        database.close();
      }
      return undefined;
    },
  };
}

/** `refreshed`: when all files were last looked at, ms since the epoch. */
type Meta = "refreshed";

export function readMeta(db: Database, name: Meta): number | undefined {
  return prepareOnce<{ value: number }>(db, "SELECT value FROM meta WHERE name = ?").get(name)?.value;
}

export function writeMeta(db: Database, name: Meta, value: number): void {
  prepareOnce(db, "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)").run(name, value);
}

/** Whether a session is told this for the first time; from now on it was told. */
export function isToldFirst(db: Database, session: string, what: string): boolean {
  const insert = prepareOnce(db, "INSERT OR IGNORE INTO told (session, what, at) VALUES (?, ?, ?)");
  return insert.run(session, what, Date.now()).changes > 0;
}

/** A session asks before it goes on. Returns others that did lately: they may have spent more since then. */
export function noteAsking(db: Database, session: string): string[] {
  const now = Date.now();
  const select = prepareOnce<{ path: string; at: number }>(db, "SELECT path, at FROM asked WHERE at > ? LIMIT ?");
  const asked = select.all(now - LATELY_MS, MAX_ASKED);
  const own = asked.find(({ path }) => path === session);
  if (!own || own.at < now - ASKED_AGAIN_MS)
    prepareOnce(db, "INSERT OR REPLACE INTO asked (path, at) VALUES (?, ?)").run(session, now);
  return asked.flatMap(({ path }) => (path === session ? [] : path));
}

const LATELY_MS = 15 * 60_000;
const ASKED_AGAIN_MS = 60_000;
const MAX_ASKED = 50;

const REMEMBERED_MS = 100 * 86_400_000;

export function forgetOld(db: Database): void {
  db.prepare("DELETE FROM told WHERE at < ?").run(Date.now() - REMEMBERED_MS);
  db.prepare("DELETE FROM asked WHERE at < ?").run(Date.now() - LATELY_MS);
}
