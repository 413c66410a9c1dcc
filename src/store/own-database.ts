import { copyFileSync, lstatSync, readdirSync, renameSync, rmSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isFileError, reasonOf, UserError } from "../errors.js";
import { linkNew, publishNew, syncFolder } from "./atomic-write.js";
import { ensureDataDir } from "./data-dir.js";
import { waitForLock } from "./lock.js";
import { notice } from "./notices.js";
import {
  DamagedContents,
  type Database,
  isSqliteError,
  isTransient,
  type OpenOptions,
  openDatabase,
} from "./sqlite.js";
import { makeDraftFolder, makeTemporaryFolder, removeTemporary } from "./temporary.js";

/** A database in the data folder: how a new one is made, and what becomes of a damaged one. */
export interface OwnDatabase {
  readonly path: string;
  readonly options?: OpenOptions;
  /** How many damaged ones are kept. */
  readonly keptAside: number;
  /** Throws where this is no such database, or not a whole one. */
  check(database: Database): void;
  /** The same for all that is in it, which takes longer. */
  checkContents(database: Database): void;
  /**
   * Makes a whole one at `draft`. `copyDamaged` returns a copy of the damaged one that it replaces, undefined where nothing can be
   * read. Returns what the user is told; undefined where a new one needs no words.
   */
  fill(draft: string, copyDamaged?: () => string | undefined): string | undefined;
}

/** It cannot be used as it is; `file` says which file that was. */
export class DamagedDatabase extends Error {
  constructor(
    readonly path: string,
    readonly file: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

export interface OpenedDatabase {
  readonly database: Database;
  /** See `DamagedDatabase`. */
  readonly file: string;
}

const MAX_ATTEMPTS = 5;

/**
 * Opens a database, or makes one: it appears under its name as a whole, so an empty file is a damaged one. SQLite finds the log
 * beside a database by its name: where the file was replaced between these two steps, it is opened again.
 */
export function openOwn(own: OwnDatabase): OpenedDatabase {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const file = fileOf(own.path) || create(own);
    const database = openChecked(own, file);
    if (fileOf(own.path) === file) return { database, file };
    database.close();
  }
  throw new UserError("busy", `${own.path} is being replaced by another process`, "Try again.");
}

function openChecked(own: OwnDatabase, file: string): Database {
  try {
    const database = openDatabase(own.path, own.options);
    try {
      checkSchema(database);
      own.check(database);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw toDamage(own.path, file, error);
  }
}

/** libsql 0.5.29 aborts the process when it describes a column whose declaration is no UTF-8. */
function checkSchema(database: Database): void {
  const rows = database.prepare<{ name: string; sql: string | null }>("SELECT name, sql FROM sqlite_schema").all();
  if (rows.some(({ name, sql }) => `${name}${sql ?? ""}`.includes("\uFFFD")))
    throw new DamagedContents("its tables are not as they were declared");
}

/** Runs `work` on the database; where it turns out to be damaged, again on what replaces it. */
export function useOwn<T>(own: OwnDatabase, work: (database: Database) => T): T {
  const use = () => {
    const { database, file } = openOwn(own);
    try {
      return work(database);
    } catch (error) {
      throw toDamage(own.path, file, error);
    } finally {
      database.close();
    }
  };
  try {
    return use();
  } catch (error) {
    mendOrThrow(own, error);
    return use();
  }
}

/** The same for work that waits for something else. */
export async function useOwnLonger<T>(own: OwnDatabase, work: (database: Database) => Promise<T> | T): Promise<T> {
  const use = async () => {
    const { database, file } = openOwn(own);
    try {
      return await work(database);
    } catch (error) {
      throw toDamage(own.path, file, error);
    } finally {
      database.close();
    }
  };
  try {
    return await use();
  } catch (error) {
    mendOrThrow(own, error);
    return use();
  }
}

function mendOrThrow(own: OwnDatabase, error: unknown): void {
  if (!(error instanceof DamagedDatabase)) throw error;
  mend(own, error);
}

function toDamage(path: string, file: string, error: unknown): unknown {
  return isDamage(error) ? new DamagedDatabase(path, file, reasonOf(error), { cause: error }) : error;
}

/** No errors that pass, or that have another cause. */
function isDamage(error: unknown): boolean {
  return error instanceof DamagedContents || (isSqliteError(error) && !isTransient(error));
}

/** Which file a path leads to; "" where there is none. Throws where it is something else, which SQLite would wait for or fail on. */
export function fileOf(path: string): string {
  for (const suffix of LOGS) {
    if (isOdd(lstatSync(path + suffix, { throwIfNoEntry: false })))
      throw new DamagedDatabase(
        path,
        identityOf(statSync(path, { throwIfNoEntry: false })),
        `${basename(path)}${suffix} is not a file`,
      );
  }
  const stats = statSync(path, { throwIfNoEntry: false });
  if (isOdd(stats)) throw new DamagedDatabase(path, identityOf(stats), "it is not a file");
  if (!stats && lstatSync(path, { throwIfNoEntry: false }))
    throw new UserError("unreadable", `${path} is a link to nothing`, "Remove it, or make what it leads to available.");
  return identityOf(stats);
}

const LOGS = ["-wal", "-journal", "-shm"] as const;

function isOdd(stats: Stats | undefined): boolean {
  return stats !== undefined && !stats.isFile();
}

function identityOf(stats: Stats | undefined): string {
  return stats ? `${stats.dev} ${stats.ino}` : "";
}

function create(own: OwnDatabase): string {
  underLock(own.path, () => {
    if (fileOf(own.path) !== "") return;
    const folder = makeDraftFolder(own.path);
    try {
      const draft = join(folder, basename(own.path));
      const words = own.fill(draft);
      publishNew(draft, own.path);
      if (words !== undefined) notice(`${basename(own.path)} was missing; ${words}`);
    } finally {
      removeTemporary(folder);
    }
  });
  return fileOf(own.path);
}

/** Reads all of it. Undefined where nothing is wrong, or there is none. */
export function findDamage(own: OwnDatabase): DamagedDatabase | undefined {
  try {
    if (fileOf(own.path) === "") return undefined;
    const { database, file } = openOwn(own);
    try {
      checkPages(database);
      own.checkContents(database);
      return undefined;
    } catch (error) {
      throw toDamage(own.path, file, error);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof DamagedDatabase) return error;
    throw error;
  }
}

/** Throws where SQLite finds something wrong with the file. */
function checkPages(database: Database): void {
  const [row] = database.prepare<Record<string, unknown>>("PRAGMA quick_check(1)").all();
  const found = Object.values(row ?? {})[0];
  if (found !== "ok") throw new DamagedContents(String(found).replaceAll("*** in database main ***\n", ""));
}

/** Sets a damaged database aside and puts another in its place. Of several processes that found the damage, one does so. */
export function mend(own: OwnDatabase, { file, message }: DamagedDatabase): void {
  const name = basename(own.path);
  try {
    replace(own, file, (draft) => {
      const words = own.fill(draft, () => copyDamaged(own.path)) ?? "a new one was made";
      return (aside) => notice(`${name} was damaged (${message}) and set aside as ${basename(aside)}; ${words}`);
    });
  } catch (error) {
    if (!isFileError(error)) throw error;
    const problem = `${own.path} is damaged (${message}) and cannot be set aside: ${reasonOf(error)}`;
    throw new UserError("unreadable", problem, "check who may write to its folder", { cause: error });
  }
}

/** Puts a new database in the place of one that is of no use any more. */
export function renew(own: OwnDatabase, file: string): void {
  replace(own, file, (draft) => void own.fill(draft));
}

type Prepare = (draft: string) => ((aside: string) => void) | undefined;

/** The log of the old database goes first: SQLite would apply it to the new one. Those who have the old one open go on with it. */
function replace(own: OwnDatabase, file: string, prepare: Prepare): void {
  const { path } = own;
  underLock(path, () => {
    if (currentFile(path) !== file) return; // another process was faster
    const folder = makeDraftFolder(path);
    try {
      const draft = join(folder, basename(path));
      const report = prepare(draft);
      const aside = freeName(path);
      if (report) setAside(path, aside);
      for (const suffix of LOGS) rmSync(path + suffix, { force: true });
      renameSync(draft, path);
      syncFolder(dirname(path));
      forgetOldest(own);
      report?.(aside);
    } finally {
      removeTemporary(folder);
    }
  });
}

/** Whatever it is. */
export function currentFile(path: string): string {
  return identityOf(statSync(path, { throwIfNoEntry: false }));
}

/** The name itself keeps leading to a file where that is possible, so that a kill in between loses nothing. */
function setAside(path: string, aside: string): void {
  for (const suffix of ["", ...LOGS]) {
    const stats = lstatSync(path + suffix, { throwIfNoEntry: false });
    if (!stats || (suffix === "-shm" && stats.isFile())) continue; // the index of a log, of no use without it
    if (suffix !== "" || !stats.isFile() || !linkNew(path, aside)) renameSync(path + suffix, aside + suffix);
  }
}

/** To read from: opening the original could change it. Undefined where there is nothing to read. */
function copyDamaged(path: string): string | undefined {
  if (!(statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)) return undefined;
  const folder = makeTemporaryFolder("damaged");
  const copy = join(folder, basename(path));
  for (const suffix of ["", "-wal", "-journal"]) {
    if (lstatSync(path + suffix, { throwIfNoEntry: false })?.isFile()) copyFileSync(path + suffix, copy + suffix);
  }
  return copy;
}

const ASIDE = ".damaged-";

function freeName(path: string): string {
  const time = new Date().toISOString().replace(/\D/g, "").slice(0, 17); // to the millisecond
  const name = `${path}${ASIDE}${time}`;
  return lstatSync(name, { throwIfNoEntry: false }) ? `${name}-${process.pid}` : name;
}

/** Names of damaged ones that were set aside, newest first. */
export function listAside(path: string): string[] {
  const start = basename(path) + ASIDE;
  const names = readdirSync(dirname(path)).filter(
    (name) => name.startsWith(start) && !LOGS.some((log) => name.endsWith(log)),
  );
  return names.sort().reverse();
}

function forgetOldest({ path, keptAside }: OwnDatabase): void {
  for (const name of listAside(path).slice(keptAside)) {
    for (const suffix of ["", ...LOGS]) rmSync(join(dirname(path), name + suffix), { recursive: true, force: true });
  }
}

function underLock(path: string, work: () => void): void {
  const lock = waitForLock(join(ensureDataDir(dirname(path), "locks"), `${basename(path)}.lock`), {
    purpose: `making ${basename(path)}`,
  });
  try {
    work();
  } finally {
    lock.release();
  }
}
