import { closeSync, existsSync, openSync } from "node:fs";
import { UserError } from "../errors.js";
import {
  type Bound,
  type Connection,
  connectLibsql,
  connectNode,
  type EngineRow,
  type EngineStatement,
  hasNodeSqlite,
  type SqlValue,
} from "./sqlite-engines.js";

/** Integers beyond 2^53 are bigints, all others numbers. */
type SqlRow = Record<string, SqlValue>;
/** `undefined` is stored as null, booleans as 0 and 1, NUL characters in text as U+FFFD (libsql truncates at NUL). */
export type SqlInput = SqlValue | undefined | boolean;
/** Values in order, or one object for `:name`, `@name` and `$name`. */
type SqlParams = readonly SqlInput[] | readonly [Readonly<Record<string, SqlInput>>];

export interface Statement<Row> {
  run(...params: SqlParams): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  get(...params: SqlParams): Row | undefined;
  all(...params: SqlParams): Row[];
  iterate(...params: SqlParams): IterableIterator<Row>;
}

export interface Database {
  readonly engine: SqliteEngine;
  exec(sql: string): void;
  /** `Row` is not checked against the SQL. */
  prepare<Row = SqlRow>(sql: string): Statement<Row>;
  /** Runs `work` in a transaction; not nestable. */
  transaction<Result>(work: () => Result): Result;
  /** The same, but skipped while another connection is writing. */
  transactionIfFree(work: () => void): void;
  close(): void;
}

/** For questions that are asked again and again: a statement is prepared once for each database. Not for use within itself. */
export function prepareOnce<Row>(db: Database, sql: string): Statement<Row> {
  const statements = prepared.get(db) ?? new Map<string, Statement<unknown>>();
  prepared.set(db, statements);
  const statement = statements.get(sql) ?? db.prepare<Row>(sql);
  statements.set(sql, statement);
  return statement as Statement<Row>;
}

const prepared = new WeakMap<Database, Map<string, Statement<unknown>>>();

type SqliteEngine = "node" | "libsql";

export interface OpenOptions {
  readonly readonly?: boolean;
  /** `delete`: everything is in one file when nobody writes; readers and a writer wait for each other. Default: `wal`. */
  readonly journal?: "wal" | "delete";
}

/** `TURNLOG_SQLITE` selects the engine where both are available. */
export function openDatabase(path: string, { readonly = false, journal = "wal" }: OpenOptions = {}): Database {
  if (readonly && !existsSync(path)) throw new UserError("not-found", `no such database: ${path}`);
  const engine = chooseEngine();
  const connection = connect(engine, path);
  try {
    connection.exec(`${waitFor(BUSY_MS)}; PRAGMA foreign_keys = ON`);
    // libsql cannot open a file read-only, so both engines use query_only.
    connection.exec(readonly ? "PRAGMA query_only = ON" : MODES[journal]);
  } catch (error) {
    connection.close();
    throw error;
  }
  return toDatabase(engine, connection);
}

const BUSY_MS = 5000;
const MODES = {
  wal: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
  delete: "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL",
} as const;

function waitFor(ms: number): string {
  return `PRAGMA busy_timeout = ${ms}`;
}

/** The file is a database, but does not hold what was written to it. */
export class DamagedContents extends Error {}

/** The file is damaged or not a database. */
export function isCorrupt(error: unknown): boolean {
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(resultCode(error));
}

/** Another connection held the database for longer than the busy timeout. */
export function isBusy(error: unknown): boolean {
  return [SQLITE_BUSY, SQLITE_LOCKED].includes(resultCode(error));
}

/** The disk is full, or the file cannot be written. */
export function isUnwritable(error: unknown): boolean {
  return [SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN].includes(resultCode(error));
}

/** It may work another time, or elsewhere: the file itself is not the reason. */
export function isTransient(error: unknown): boolean {
  return isBusy(error) || isUnwritable(error) || OTHER_REASONS.includes(resultCode(error));
}

/** Any error of SQLite itself. */
export function isSqliteError(error: unknown): boolean {
  return resultCode(error) !== 0;
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;
/** Permission, abort, memory, interrupt, locking protocol, constraint, misuse, missing system calls. */
const OTHER_REASONS: readonly number[] = [3, 4, 7, 9, 15, 19, 21, 22];

/** The primary result code: the low byte of `errcode` (node:sqlite) or `rawCode` (libsql). */
function resultCode(error: unknown): number {
  const { errcode, rawCode } = Object(error) as { errcode?: number; rawCode?: number };
  return (errcode ?? rawCode ?? 0) & 0xff;
}

function chooseEngine(): SqliteEngine {
  const available = hasNodeSqlite() ? "node" : "libsql";
  const wanted = process.env["TURNLOG_SQLITE"] || available;
  if (wanted === available || wanted === "libsql") return wanted;
  const message = `TURNLOG_SQLITE=${wanted} is not available in Node ${process.versions.node}`;
  throw new UserError("config", message, "Use node (from Node 22.16 on) or libsql, or leave it unset.");
}

function connect(engine: SqliteEngine, path: string): Connection {
  try {
    keepPrivate(path);
    return engine === "node" ? connectNode(path) : connectLibsql(path);
  } catch (error) {
    throw new UserError(
      "unreadable",
      `cannot open the database ${path}`,
      "check the permissions of the file and its folder",
      {
        cause: error,
      },
    );
  }
}

export const IN_MEMORY = ":memory:";

/** Creates the file with mode 0600, which SQLite also uses for the files beside it. */
function keepPrivate(path: string): void {
  if (path !== IN_MEMORY && !existsSync(path)) closeSync(openSync(path, "a", 0o600));
}

function toDatabase(engine: SqliteEngine, connection: Connection): Database {
  let isOpen = true;
  return {
    engine,
    exec: (sql) => connection.exec(sql),
    prepare<Row>(sql: string) {
      if (!isOpen) throw new Error("the database is not open");
      return toStatement<Row>(onFirstUse(() => connection.prepare(sql)));
    },
    transaction: (work) => runTransaction(connection, work),
    transactionIfFree: (work) => runIfFree(connection, work),
    close() {
      if (isOpen) connection.close();
      isOpen = false;
    },
  };
}

/** Lazy: a writer prepares two dozen statements and often uses a few; preparing takes longer than running. */
function onFirstUse(prepare: () => EngineStatement): () => EngineStatement {
  let statement: EngineStatement | undefined;
  return () => {
    statement ??= prepare();
    return statement;
  };
}

function toStatement<Row>(statement: () => EngineStatement): Statement<Row> {
  return {
    run(...params) {
      const { changes, lastInsertRowid } = statement().run(toBound(params));
      return { changes: Number(changes), lastInsertRowid: toSafeNumber(lastInsertRowid) };
    },
    get(...params) {
      const row = statement().get(toBound(params));
      return row && (toRow(row) as Row);
    },
    all: (...params) => statement().all(toBound(params)).map(toRow) as Row[],
    *iterate(...params) {
      for (const row of statement().iterate(toBound(params))) yield toRow(row) as Row;
    },
  };
}

function runTransaction<Result>(connection: Connection, work: () => Result): Result {
  connection.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

function runIfFree(connection: Connection, work: () => void): void {
  connection.exec(waitFor(0));
  try {
    runTransaction(connection, work);
  } catch (error) {
    if (!isBusy(error)) throw error;
  } finally {
    connection.exec(waitFor(BUSY_MS));
  }
}

function rollBack(connection: Connection): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // After some errors (a full disk) SQLite has rolled back by itself; the first error is the one to report.
  }
}

function toBound(params: SqlParams): Bound {
  const [first] = params;
  const isNamed = params.length === 1 && typeof first === "object" && first !== null && !(first instanceof Uint8Array);
  if (!isNamed) return (params as readonly SqlInput[]).map(toBindable);
  return Object.fromEntries(Object.entries(first).map(([name, value]) => [name, toBindable(value)]));
}

/** Both engines bind a plain number as a float; libsql aborts the process on an unknown type. */
function toBindable(value: SqlInput): SqlValue {
  switch (typeof value) {
    case "number":
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    case "string":
      return value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
    case "boolean":
      return value ? 1n : 0n;
    case "undefined":
      return null;
    case "bigint":
      if (BigInt.asIntN(64, value) === value) return value;
      throw new RangeError(`${value} does not fit into 64 bits`);
    default:
      if (value === null || value instanceof Uint8Array) return value;
      throw new TypeError(`a value of type ${typeof value} cannot be stored`);
  }
}

/** In place: copying each row makes reading a third slower. */
function toRow(row: EngineRow): EngineRow {
  for (const name in row) {
    const value = row[name];
    if (typeof value === "bigint") row[name] = toSafeNumber(value);
  }
  return row;
}

function toSafeNumber(value: number | bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
