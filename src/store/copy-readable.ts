import { isFileError, UserError } from "../errors.js";
import { DamagedContents, type Database, isSqliteError, openDatabase, type SqlInput } from "./sqlite.js";

export interface ReadableTable {
  readonly name: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  isWhole(row: Readonly<Record<string, unknown>>): boolean;
}

/** Copies all rows that can be read, from both ends up to the damage. Returns how many. */
export function copyReadable(damaged: string, to: Database, tables: readonly ReadableTable[]): number {
  let from: Database;
  try {
    from = openDatabase(damaged);
  } catch (error) {
    if (isUnreadable(error)) return 0;
    throw error;
  }
  try {
    return tables.reduce((sum, table) => sum + copyTable(from, to, table), 0);
  } finally {
    from.close();
  }
}

function copyTable(from: Database, to: Database, table: ReadableTable): number {
  let copied = 0;
  for (const direction of ["ASC", "DESC"] as const) {
    for (const row of readUntilDamage(from, table, direction)) {
      if (table.isWhole(row)) copied += insert(to, table.name, row);
    }
  }
  return copied;
}

type Row = Readonly<Record<string, SqlInput>>;

/** A row that several rows refer to may be damaged: what the new tables do not take is left out. */
function insert(to: Database, table: string, row: Row): number {
  const columns = Object.keys(row);
  const places = columns.map(() => "?").join(", ");
  const sql = `INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${places})`;
  try {
    return to.prepare(sql).run(...Object.values(row)).changes;
  } catch (error) {
    if (isUnreadable(error)) return 0;
    throw error;
  }
}

const MOST_ROWS = 256;

/** libsql reads many rows at once and fails for all of them: near the damage fewer are asked for, in the end one. */
function* readUntilDamage(from: Database, { name, key }: ReadableTable, direction: "ASC" | "DESC"): Generator<Row> {
  const columns = key.join(", ");
  const order = key.map((column) => `${column} ${direction}`).join(", ");
  const beyond = direction === "ASC" ? ">" : "<";
  const places = key.map(() => "?").join(", ");
  let last: readonly SqlInput[] | undefined;
  for (let limit = MOST_ROWS; limit >= 1; ) {
    const where: string = last ? `WHERE (${columns}) ${beyond} (${places})` : "";
    try {
      const sql = `SELECT * FROM ${name} ${where} ORDER BY ${order} LIMIT ${limit}`;
      const rows: readonly Row[] = from.prepare<Row>(sql).all(...(last ?? []));
      yield* rows;
      const end = rows.at(-1);
      if (!end || rows.length < limit) return;
      last = key.map((column) => end[column]);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      limit = Math.floor(limit / 2);
    }
  }
}

/** What reading a damaged file may end with. */
export function isUnreadable(error: unknown): boolean {
  return isFileError(error) || isSqliteError(error) || error instanceof DamagedContents || error instanceof UserError;
}
