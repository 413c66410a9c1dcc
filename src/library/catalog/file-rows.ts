import type { Cursor } from "../../format/identity/follow-file.js";
import type { Database } from "../../store/sqlite.js";
import type { LibraryFile } from "../sources/walk-library.js";

/** A row of `files`. */
export interface FileRow {
  readonly id: number;
  readonly path: string;
  readonly agent_id: string | null;
  readonly size: number;
  readonly mtime: number;
  readonly inode: number;
  readonly cursor: string | null; // JSON
  readonly is_counted: number;
  readonly problem: string | null;
  readonly archive: string | null;
}

export function cursorOf({ cursor }: FileRow): Cursor | undefined {
  return cursor === null ? undefined : (JSON.parse(cursor) as Cursor);
}

/** All files of the index by path, without their snapshots. */
export function readFileRows(db: Database): Map<string, FileRow> {
  const rows = db.prepare<FileRow>(SELECT_ROWS).all();
  return new Map(rows.map((row) => [row.path, row]));
}

export function readFileRow(db: Database, path: string): FileRow | undefined {
  return db.prepare<FileRow>(`${SELECT_ROWS} WHERE path = ?`).get(path);
}

/** Whether a file of the index had this inode when it was last indexed. */
export function isKnownInode(db: Database, inode: number): boolean {
  return db.prepare("SELECT 1 FROM files WHERE inode = ? LIMIT 1").get(inode) !== undefined;
}

const SELECT_ROWS = "SELECT id, path, agent_id, size, mtime, inode, cursor, is_counted, problem, archive FROM files";

/** Whether a file is unchanged since it was indexed. */
export function isCurrent(row: FileRow, { size, mtimeMs, inode }: LibraryFile): boolean {
  return (
    row.is_counted === 1 && row.problem === null && row.size === size && row.mtime === mtimeMs && row.inode === inode
  );
}
