import { closeSync, openSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import type Libsql from "libsql";

/** The common interface of both engines: integers are read as bigints, parameters are one list or one object. */
export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): EngineStatement;
  close(): void;
}

export interface EngineStatement {
  run(params: Bound): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(params: Bound): EngineRow | undefined;
  all(params: Bound): EngineRow[];
  iterate(params: Bound): Iterable<EngineRow>;
}

/** What a column holds. */
export type SqlValue = null | number | bigint | string | Uint8Array;
export type Bound = SqlValue[] | Record<string, SqlValue>;
export type EngineRow = Record<string, unknown>;

/** Node has SQLite since 22.13, with full-text search since 22.16 and 24. */
export function hasNodeSqlite(): boolean {
  hasFullText ??= checkFullText();
  return hasFullText;
}

let hasFullText: boolean | undefined;

function checkFullText(): boolean {
  if (!loadNodeSqlite()) return false;
  const memory = connectNode(":memory:");
  const row = memory.prepare("SELECT sqlite_compileoption_used('ENABLE_FTS5') AS used").get([]);
  memory.close();
  return row?.["used"] === 1n;
}

export function connectNode(path: string): Connection {
  const sqlite = loadNodeSqlite();
  if (!sqlite) throw new Error("this Node has no node:sqlite");
  const database = new sqlite.DatabaseSync(path);
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      const spread = (params: Bound) => (Array.isArray(params) ? params : [params]);
      return {
        run: (params) => statement.run(...spread(params)),
        get: (params) => statement.get(...spread(params)),
        all: (params) => statement.all(...spread(params)),
        iterate: (params) => statement.iterate(...spread(params)),
      };
    },
    close: () => database.close(),
  };
}

export function connectLibsql(path: string): Connection {
  const Database: typeof Libsql = withoutReport(() => createRequire(import.meta.url)("libsql"));
  const database = new Database(path);
  return {
    exec: (sql) => void database.exec(sql),
    prepare(sql) {
      const { statement, decode } = prepareLibsql(database, sql);
      return {
        run: (params) => withExactRowid(statement.run(params), database),
        get: (params) => decode(withoutMetadata(statement.get(params) as EngineRow | undefined)),
        all: (params) => (statement.all(params) as EngineRow[]).map(decode),
        iterate: (params) => iterateToEnd(statement.iterate(params) as IterableIterator<EngineRow>, decode),
      };
    },
    close: () => void database.close(),
  };
}

/**
 * To learn which C library there is, libsql has Node write a report about the whole process, which takes 4 to 8 ms. The loader that
 * the program names in its first bytes tells the same; where it names another one, libsql finds out itself.
 */
function withoutReport<T>(load: () => T): T {
  const { report } = process;
  if (process.platform !== "linux" || !usesGlibc()) return load();
  const { getReport } = report;
  report.getReport = () => ({ header: { glibcVersionRuntime: "" } });
  try {
    return load();
  } finally {
    report.getReport = getReport;
  }
}

const HEAD_BYTES = 4096;

function usesGlibc(): boolean {
  try {
    const file = openSync(process.execPath, "r");
    const head = Buffer.alloc(HEAD_BYTES);
    readSync(file, head, 0, HEAD_BYTES, 0);
    closeSync(file);
    return head.includes("/ld-linux-");
  } catch {
    return false; // asked for in the usual way
  }
}

/**
 * libsql 0.5.29 aborts the process when a text column holds invalid UTF-8, as in a damaged file. So a query returns text as
 * bytes, and bytes as hexadecimal text, and both are decoded here. Reading text takes about twice as long.
 */
function prepareLibsql(database: Libsql.Database, sql: string) {
  const plain = database.prepare(sql).safeIntegers();
  if (!/^\s*(?:SELECT|WITH|VALUES)\b/i.test(sql) || !plain.reader) return { statement: plain, decode: keep };
  const names = plain.columns().map(({ name }) => name);
  const columns = names.map((_, at) => `c${at}`);
  const safe = columns.map(
    (column) =>
      `CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS BLOB) WHEN 'blob' THEN hex(${column}) ELSE ${column} END`,
  );
  const outputs = safe.map((expression, at) => `${expression} AS ${quoteName(names[at] ?? "")}`);
  const wrapped = `WITH query(${columns.join(", ")}) AS (${sql}) SELECT ${outputs.join(", ")} FROM query`;
  return { statement: database.prepare(wrapped).safeIntegers(), decode: decodeRow };
}

const keep = <Row extends EngineRow | undefined>(row: Row): Row => row;

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** In place: copying each row makes reading a third slower. */
function decodeRow<Row extends EngineRow | undefined>(row: Row): Row {
  for (const name in row) {
    const value: unknown = row[name];
    // Bytes are a Buffer from get, an ArrayBuffer from all and iterate.
    if (value instanceof ArrayBuffer) Reflect.set(row, name, Buffer.from(value).toString());
    else if (Buffer.isBuffer(value)) Reflect.set(row, name, value.toString());
    else if (typeof value === "string") Reflect.set(row, name, new Uint8Array(Buffer.from(value, "hex")));
  }
  return row;
}

/** The part of node:sqlite in use here; the types of Node 20 lack it. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    exec(sql: string): void;
    prepare(sql: string): NodeStatement;
    close(): void;
  };
}

interface NodeStatement {
  setReadBigInts(enabled: boolean): void;
  run(...params: (SqlValue | Record<string, SqlValue>)[]): { changes: bigint; lastInsertRowid: bigint };
  get(...params: (SqlValue | Record<string, SqlValue>)[]): EngineRow | undefined;
  all(...params: (SqlValue | Record<string, SqlValue>)[]): EngineRow[];
  iterate(...params: (SqlValue | Record<string, SqlValue>)[]): Iterable<EngineRow>;
}

/** Suppresses the warning of Node 22 that node:sqlite is experimental, which users cannot act on. */
function loadNodeSqlite(): NodeSqlite | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:sqlite") as NodeSqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** libsql 0.5.29 returns the row id as a float, which is inexact beyond 2^53. */
function withExactRowid(result: Libsql.RunResult, database: Libsql.Database): Libsql.RunResult {
  if (Number.isSafeInteger(result.lastInsertRowid)) return result;
  const row = database.prepare("SELECT last_insert_rowid() AS id").safeIntegers().get() as { id: bigint };
  return { changes: result.changes, lastInsertRowid: row.id };
}

/** libsql 0.5.29 adds the duration of `get` as a column. */
function withoutMetadata(row: EngineRow | undefined): EngineRow | undefined {
  if (!row) return undefined;
  const { _metadata, ...columns } = row;
  return columns;
}

/** A libsql statement that is not read to its end keeps its table locked until it is garbage collected. */
function* iterateToEnd(rows: IterableIterator<EngineRow>, decode: (row: EngineRow) => EngineRow): Generator<EngineRow> {
  for (const row of rows) {
    let isTaken = false;
    try {
      yield decode(row);
      isTaken = true;
    } finally {
      while (!isTaken && !rows.next().done);
    }
  }
}
