import type { Database } from "../../store/sqlite.js";

type Cell = string | number | null;
/** The key, then the columns in their order. */
export type KeyedRow = readonly [key: bigint, ...cells: Cell[]];

export interface RowWriter {
  /** All rows of a file. */
  write(file: number, rows: readonly KeyedRow[]): void;
}

/** Makes the rows of a file what they are to be. Those that are so stay: to write one takes ten times as long as to compare it. */
export function createRowWriter(db: Database, table: string, columns: readonly string[]): RowWriter {
  const select = db.prepare<{ rows: string | null }>(
    `SELECT group_concat(json_array(CAST(key AS TEXT), ${columns})) AS rows FROM ${table} WHERE file = ?`,
  );
  const places = Array(columns.length + 2).fill("?");
  const insert = db.prepare(`INSERT OR REPLACE INTO ${table} (key, file, ${columns}) VALUES (${places})`);
  const remove = db.prepare(`DELETE FROM ${table} WHERE key = ? AND file = ?`);

  function readKnown(file: number): Map<string, readonly Cell[]> {
    const rows = JSON.parse(`[${select.get(file)?.rows ?? ""}]`) as [string, ...Cell[]][];
    return new Map(rows.map(([key, ...cells]) => [key, cells]));
  }

  return {
    write(file, rows) {
      const known = readKnown(file);
      for (const [key, ...cells] of rows) {
        const before = known.get(String(key));
        known.delete(String(key));
        if (!before || cells.some((cell, at) => cell !== before[at])) insert.run(key, file, ...cells);
      }
      for (const key of known.keys()) remove.run(BigInt(key), file);
    },
  };
}
