import { existsSync, statSync } from "node:fs";
import { errorCode, reasonOf, UserError } from "../../errors.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import { dataPaths, ensureDataDir } from "../../store/data-dir.js";
import { DamagedDatabase, fileOf, mend, type OwnDatabase, openOwn, renew } from "../../store/own-database.js";
import {
  DamagedContents,
  type Database,
  isBusy,
  isSqliteError,
  isUnwritable,
  openDatabase,
} from "../../store/sqlite.js";
import { INDEX_VERSION, SCHEMA } from "./schema.js";

export interface Index {
  readonly db: Database;
  readonly path: string;
  /** Which file it is: see `DamagedDatabase`. */
  readonly file: string;
  /** Set when an unusable index was replaced; the next sync fills the new one. */
  readonly rebuilt: "corrupt" | "outdated" | undefined;
  close(): void;
}

/** Keys of messages and calls are random: with SQLite's default of 2 MB a build writes the same pages many times. */
const CACHE_KIB = 32 * 1024;

/** A version beyond this was never released: it is a damaged one. */
const MAX_VERSION = 10_000;

/** The first is in every version; another database under this name has none of them. */
const TABLES = ["files", "sessions", "docs", "meta"] as const;

const JSON_COLUMNS = {
  sessions: ["summary", "turn_starts", "relations"],
  agents: ["spent"],
  numbers: ["messages", "calls", "turns"],
  ledgers: ["messages", "calls", "turns"],
} as const;

/** It can always be rebuilt from the sessions. */
export function indexDatabase(path: string): OwnDatabase {
  return {
    path,
    keptAside: 1,
    check(database) {
      const version = versionOf(database);
      if (version <= 0 || version > MAX_VERSION) throw new DamagedContents("it has no known version");
      if (version > INDEX_VERSION) throw newerError(path);
      const expected = version === INDEX_VERSION ? TABLES : TABLES.slice(0, 1);
      const names = expected.map((name) => `'${name}'`).join(", ");
      const select = `SELECT count(*) AS found FROM sqlite_schema WHERE name IN (${names})`;
      const found = database.prepare<{ found: number }>(select).get()?.found ?? 0;
      if (found < expected.length) throw new DamagedContents("it has not the tables of an index");
    },
    checkContents(database) {
      for (const [table, columns] of Object.entries(JSON_COLUMNS)) {
        const invalid = columns.map((column) => `NOT json_valid(${column})`).join(" OR ");
        const { found } = database
          .prepare<{ found: number }>(`SELECT count(*) AS found FROM ${table} WHERE ${invalid}`)
          .get() ?? { found: 0 };
        if (found > 0) throw new DamagedContents(`${found} rows of ${table} are not as they were written`);
      }
    },
    fill(draft, copyDamaged) {
      const database = openDatabase(draft, { journal: "delete" });
      try {
        database.transaction(() => database.exec(SCHEMA));
      } finally {
        database.close();
      }
      return copyDamaged && "it is built again";
    },
  };
}

/** Opens the index of a data folder, or creates an empty one. */
export function openIndex(dataFolder: string): Index {
  const own = indexDatabase(dataPaths(ensureDataDir(dataFolder)).index);
  try {
    return openCurrent(own, undefined);
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    mend(own, error);
    return openCurrent(own, "corrupt");
  }
}

function openCurrent(own: OwnDatabase, rebuilt: Index["rebuilt"]): Index {
  const { database: db, file } = openOwn(own);
  try {
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    if (versionOf(db) < INDEX_VERSION) {
      db.close();
      renew(own, file);
      return openCurrent(own, "outdated");
    }
    return { db, path: own.path, file, rebuilt, close: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

function versionOf(db: Database): number {
  return db.prepare<{ user_version: number }>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** Sets an index aside that gave an error which a whole one cannot give. */
export function replaceDamaged(dataFolder: string, damaged: DamagedDatabase): void {
  mend(indexDatabase(dataPaths(dataFolder).index), damaged);
}

/** Puts an empty index in the place of this one. A process that has the old file open keeps reading it. */
export function discardIndex(dataFolder: string): void {
  const own = indexDatabase(dataPaths(ensureDataDir(dataFolder)).index);
  try {
    renew(own, fileOf(own.path));
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    mend(own, error);
  }
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
  return isUnwritable(error) ? unwritable(error).message : undefined;
}

/**
 * The index as the reason of an error, where it may be that; undefined for others. SQLite has no checksums: a changed byte in a
 * value is noticed only by those who read the value.
 */
export function toDamage(error: unknown, { path, file }: Pick<Index, "path" | "file">): DamagedDatabase | undefined {
  if (error instanceof DamagedDatabase) return error;
  if (whyUnusable(error) !== undefined) return undefined;
  const isOdd = error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError;
  if (!isOdd && !isSqliteError(error) && !(error instanceof DamagedContents)) return undefined;
  return new DamagedDatabase(path, file, reasonOf(error), { cause: error });
}

function unwritable(error: unknown): UnusableIndex {
  return new UnusableIndex(`the index cannot be written (${reasonOf(error)})`, { cause: error });
}

/** For those who only look something up in the index and go on without it: other commands mend it. */
export function isIndexAtFault(error: unknown): boolean {
  return error instanceof UserError || whyUnusable(error) !== undefined || toDamage(error, NO_INDEX) !== undefined;
}

/** Of an error that comes before the index is open, or is not looked into. */
export const NO_INDEX = { path: "", file: "" };

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
