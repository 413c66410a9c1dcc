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
  const Database: typeof Libsql = createRequire(import.meta.url)("libsql");
  const database = new Database(path);
  return {
    exec: (sql) => void database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql).safeIntegers();
      return {
        run: (params) => withExactRowid(statement.run(params), database),
        get: (params) => withoutMetadata(statement.get(params) as EngineRow | undefined),
        all: (params) => statement.all(params) as EngineRow[],
        iterate: (params) => iterateToEnd(statement.iterate(params) as IterableIterator<EngineRow>),
      };
    },
    close: () => void database.close(),
  };
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
function* iterateToEnd(rows: IterableIterator<EngineRow>): Generator<EngineRow> {
  for (const row of rows) {
    let isTaken = false;
    try {
      yield row;
      isTaken = true;
    } finally {
      while (!isTaken && !rows.next().done);
    }
  }
}
