import { type FileState, isSameState } from "../../format/identity/file-identity.js";
import type { Cursor } from "../../format/identity/follow-file.js";
import { tryParseJson } from "../../format/json.js";
import { type Database, prepareOnce } from "../../store/sqlite.js";
import type { LibraryFile } from "../sources/walk-library.js";

/** A row of `files`. */
export interface FileRow {
  readonly id: number;
  readonly path: string;
  readonly agent_id: string | null;
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly inode: number;
  readonly cursor: string | null; // JSON
  readonly is_counted: number;
  readonly problem: string | null;
  readonly archive: string | null;
  readonly title_state: string;
  readonly text_offset: number;
  readonly text_line: number;
}

export function cursorOf({ cursor }: FileRow): Cursor | undefined {
  return cursor === null ? undefined : (tryParseJson(cursor) as Cursor | undefined);
}

/** All files of the index by path, without their snapshots. */
export function readFileRows(db: Database): Map<string, FileRow> {
  const rows = db.prepare<FileRow>(SELECT_ROWS).all();
  return new Map(rows.map((row) => [row.path, row]));
}

/** Those of which the catalog has more than the text index. */
export function readBehindRows(db: Database): FileRow[] {
  const where = "read_offset > text_offset AND is_counted = 1 AND problem IS NULL";
  return prepareOnce<FileRow>(db, `${SELECT_ROWS} WHERE ${where}`).all();
}

export function readFileRow(db: Database, path: string): FileRow | undefined {
  return prepareOnce<FileRow>(db, `${SELECT_ROWS} WHERE path = ?`).get(path);
}

/** Whether a file of the index had this inode when it was last indexed. */
export function isKnownInode(db: Database, inode: number): boolean {
  return db.prepare("SELECT 1 FROM files WHERE inode = ? LIMIT 1").get(inode) !== undefined;
}

const SELECT_ROWS = `SELECT id, path, agent_id, size, mtime, ctime, inode, cursor, is_counted, problem, archive, title_state,
  text_offset, text_line FROM files`;

/** Whether a file is unchanged since it was indexed. */
export function isCurrent(row: FileRow, file: LibraryFile): boolean {
  const isIndexed = row.is_counted === 1 && row.problem === null && row.title_state === file.titleState;
  return isIndexed && isSameState(stateOfRow(row), file);
}

export function stateOfRow({ size, mtime, ctime, inode }: FileRow): FileState {
  return { size, mtimeMs: mtime, ctimeMs: ctime, inode };
}
