import { existsSync, rmSync } from "node:fs";
import { UserError } from "../../errors.js";
import { dataPaths, ensureDataDir } from "../../store/data-dir.js";
import { type Database, isCorrupt, openDatabase } from "../../store/sqlite.js";
import { INDEX_VERSION, SCHEMA } from "./schema.js";

export interface Index {
  readonly db: Database;
  readonly path: string;
  /** What was there could not be used and was thrown away: the next sync fills the index again. */
  readonly rebuilt: "corrupt" | "outdated" | undefined;
  close(): void;
}

/** Keys of messages and calls are spread all over their tables: with the usual 2 MB, building writes pages again and again. */
const CACHE_KIB = 32 * 1024;

/** Opens the index of a data folder, or makes an empty one: it can always be built again from the sessions. */
export function openIndex(dataFolder: string): Index {
  const path = dataPaths(ensureDataDir(dataFolder)).index;
  try {
    return openOrCreate(path, undefined);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return openOrCreate(removeIndex(path), "corrupt");
  }
}

function openOrCreate(path: string, rebuilt: Index["rebuilt"]): Index {
  const db = openDatabase(path);
  try {
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    const version = versionOf(db);
    if (version > INDEX_VERSION) throw newerError(path);
    if (version !== 0 && version < INDEX_VERSION) {
      db.close();
      return openOrCreate(removeIndex(path), "outdated");
    }
    if (version === 0) createTables(db);
    return { db, path, rebuilt, close: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Two processes may find the same empty file: the second one finds the tables of the first. */
function createTables(db: Database): void {
  db.transaction(() => {
    if (versionOf(db) === 0) db.exec(SCHEMA);
  });
}

function versionOf(db: Database): number {
  return db.prepare<{ user_version: number }>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** Whoever has it open keeps reading the old file. */
export function removeIndex(path: string): string {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  return path;
}

export function hasIndex(dataFolder: string): boolean {
  return existsSync(dataPaths(dataFolder).index);
}

function newerError(path: string): UserError {
  return new UserError(
    "newer",
    `the index ${path} was written by a newer turnlog`,
    "use that turnlog, or read without the index (--no-index)",
  );
}
