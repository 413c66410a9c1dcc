import { existsSync, rmSync, statSync } from "node:fs";
import { errorCode, reasonOf, UserError } from "../../errors.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import { dataPaths, ensureDataDir } from "../../store/data-dir.js";
import { type Database, isBusy, isCorrupt, isUnwritable, openDatabase } from "../../store/sqlite.js";
import { INDEX_VERSION, SCHEMA } from "./schema.js";

export interface Index {
  readonly db: Database;
  readonly path: string;
  /** Set when an unusable index was discarded; the next sync fills the new one. */
  readonly rebuilt: "corrupt" | "outdated" | undefined;
  close(): void;
}

/** Keys of messages and calls are random: with SQLite's default of 2 MB a build writes the same pages many times. */
const CACHE_KIB = 32 * 1024;

/** Opens the index of a data folder, or creates an empty one: it can always be rebuilt from the sessions. */
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

/** Two processes may open the same empty file; the version is read again inside the transaction. */
function createTables(db: Database): void {
  db.transaction(() => {
    if (versionOf(db) === 0) db.exec(SCHEMA);
  });
}

function versionOf(db: Database): number {
  return db.prepare<{ user_version: number }>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** A process that has the old file open keeps reading it. */
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
    "use that version, or add --no-index",
  );
}

/** The index cannot be used; commands then read the session files. */
export class UnusableIndex extends Error {}

export function orUnusable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toUnusable(error);
  }
}

export function toUnusable(error: unknown): unknown {
  if (error instanceof UserError) return new UnusableIndex(error.message, { cause: error });
  return isSystemError(error) ? unwritable(error) : error;
}

/** `ENOSPC`, but not `ERR_SQLITE_ERROR`. */
function isSystemError(error: unknown): boolean {
  return /^E(?!RR_)/.test(errorCode(error) ?? "");
}

/** Why the index cannot be used; undefined for errors that have another cause. */
export function whyUnusable(error: unknown): string | undefined {
  if (error instanceof UnusableIndex) return error.message;
  if (isBusy(error)) return "the index is locked by another program";
  if (isCorrupt(error)) return "the index is damaged";
  return isUnwritable(error) ? unwritable(error).message : undefined;
}

function unwritable(error: unknown): UnusableIndex {
  return new UnusableIndex(`the index cannot be written (${reasonOf(error)})`, { cause: error });
}

export interface IndexStatus {
  readonly path: string;
  readonly engine: string;
  readonly sizeBytes: number;
  readonly sessions: number;
  readonly subagents: number;
  readonly texts: number;
  readonly sourceBytes: number;
  /** Of them, those whose words the text index has. */
  readonly textBytes: number;
  readonly problems: readonly FileProblem[];
}

export function indexStatus({ db, path }: Index): IndexStatus {
  const count = (sql: string) => db.prepare<{ n: number | null }>(sql).get()?.n ?? 0;
  return {
    path,
    engine: db.engine,
    sizeBytes: ["", "-wal"].reduce((sum, end) => sum + (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0), 0),
    sessions: count("SELECT count(*) AS n FROM sessions"),
    subagents: count("SELECT count(*) AS n FROM files WHERE owner IS NOT NULL"),
    texts: count("SELECT count(*) AS n FROM docs"),
    sourceBytes: count("SELECT sum(size) AS n FROM files"),
    textBytes: count("SELECT sum(text_offset) AS n FROM files"),
    problems: db
      .prepare<FileProblem>(
        `SELECT path, coalesce(problem, 'broken lines: ' || broken_lines) AS reason FROM files
         WHERE problem IS NOT NULL OR broken_lines > 0 ORDER BY path`,
      )
      .all(),
  };
}

export function readMeta(db: Database, key: string): string | undefined {
  return db.prepare<{ value: string }>("SELECT value FROM meta WHERE key = ?").get(key)?.value;
}

export function writeMeta(db: Database, key: string, value: string): void {
  db.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(key, value);
}
