import { closeSync, fstatSync, readSync } from "node:fs";
import { isSameState, openRegular } from "../../format/identity/file-identity.js";
import { isPlaceKept, type KnownPlace, placeAt } from "../../format/identity/follow-file.js";
import { type Database, prepareOnce } from "../../store/sqlite.js";
import { type LibraryFile, ownerOf } from "../sources/walk-library.js";
import { type FileOutlines, scanAppended, scanOutlines } from "../stats/scan-file.js";
import { countMessages } from "./add-messages.js";

interface FileRow {
  readonly id: number;
  readonly session: number;
  readonly place: string; // JSON of a `KnownPlace`
}

/** The offset of a file that has to be read whole each time: only the archive has its beginning. */
const NOWHERE = -1;

/**
 * Counts what is new in a file, or all of it where it was rewritten. False: it is more than `maxBytes`, and nothing was read. Of
 * processes that do the same at once, one counts it.
 */
export async function noteFile(db: Database, file: LibraryFile, maxBytes = Number.POSITIVE_INFINITY): Promise<boolean> {
  for (;;) {
    const row = rowOf(db, file.path);
    const place = row && (JSON.parse(row.place) as KnownPlace);
    if (row && place && isSameState(place, file)) return true;
    const from = row && place && isReadOn(file, place) && hasProject(db, file, row) ? place.offset : 0;
    if (file.size - from > maxBytes) return false;
    const found = await readFrom(file, from);
    const isCounted = db.transaction(() => {
      const now = rowOf(db, file.path);
      if (now?.place !== row?.place) return false; // another process was faster
      store(db, file, now, found);
      return true;
    });
    if (isCounted) return true;
  }
}

/** What a file that is gone had spent does not count any more. */
export function forgetFile(db: Database, path: string): void {
  db.transaction(() => {
    const row = rowOf(db, path);
    if (!row) return;
    countMessages(db, { file: row.id, session: row.session, path }, [], true);
    prepareOnce(db, "DELETE FROM files WHERE id = ?").run(row.id);
    prepareOnce(db, "UPDATE sessions SET project = NULL WHERE path = ?").run(path);
  });
}

/** Null: it is not known, or has none. */
export function projectOf(db: Database, session: string): string | null {
  const select = prepareOnce<{ project: string | null }>(db, "SELECT project FROM sessions WHERE path = ?");
  return select.get(session)?.project ?? null;
}

/** By path, each with the state in which it was read. */
export function notedFiles(db: Database): Map<string, KnownPlace> {
  const rows = db.prepare<{ path: string; place: string }>("SELECT path, place FROM files").all();
  return new Map(rows.map(({ path, place }) => [path, JSON.parse(place) as KnownPlace]));
}

function rowOf(db: Database, path: string): FileRow | undefined {
  return prepareOnce<FileRow>(db, "SELECT id, session, place FROM files WHERE path = ?").get(path);
}

/** Its first line with a folder may come late. A sub-agent has no project of its own. */
function hasProject(db: Database, { agent }: LibraryFile, { session }: FileRow): boolean {
  const select = prepareOnce<{ project: string | null }>(db, "SELECT project FROM sessions WHERE id = ?");
  return agent !== undefined || (select.get(session)?.project ?? null) !== null;
}

function isReadOn({ path, size }: LibraryFile, place: KnownPlace): boolean {
  return place.offset > 0 && size >= place.offset && isPlaceKept(path, place);
}

interface Found extends FileOutlines {
  readonly isWhole: boolean;
  readonly end: number;
}

/** The end is looked for before the file is read, which may grow meanwhile: a line that is read twice counts once. */
async function readFrom(file: LibraryFile, from: number): Promise<Found> {
  const isAgent = file.agent !== undefined;
  const appended = from > 0 ? scanAppended(file.path, from, isAgent) : undefined;
  if (appended) return { ...appended, project: null, isWhole: false };
  const path = file.open();
  const end = path === file.path ? lastLineEnd(path) : NOWHERE;
  const outlines = scanOutlines(path, isAgent) ?? (await import("../stats/read-spent.js")).readOutlines(path);
  return { ...outlines, isWhole: true, end };
}

const LF = 0x0a;
const TAIL_BYTES = 1024 * 1024;

/** Behind the last complete line; 0 where none ends near the end of the file. */
function lastLineEnd(path: string): number {
  const file = openRegular(path);
  if (file === undefined) return 0;
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.allocUnsafe(Math.min(size, TAIL_BYTES));
    const read = readSync(file, buffer, 0, buffer.length, size - buffer.length);
    const at = buffer.subarray(0, read).lastIndexOf(LF);
    return at < 0 ? 0 : size - buffer.length + at + 1;
  } finally {
    closeSync(file);
  }
}

function store(db: Database, file: LibraryFile, row: FileRow | undefined, found: Found): void {
  const { path } = file;
  const session = noteSession(db, file, found);
  const { size, mtimeMs, ctimeMs, inode } = file;
  const offset = Math.max(0, found.end);
  const known = placeAt(path, { offset, line: 1 });
  const place = JSON.stringify({ ...known, size, mtimeMs, ctimeMs, inode, offset: found.end });
  const id = row?.id ?? insertFile(db, path, session, place);
  if (row && row.session !== session) countMessages(db, { file: id, session: row.session, path }, [], true);
  prepareOnce(db, "UPDATE files SET session = ?, place = ? WHERE id = ?").run(session, place, id);
  countMessages(db, { file: id, session, path }, found.messages, found.isWhole);
}

function insertFile(db: Database, path: string, session: number, place: string): number {
  const insert = prepareOnce(db, "INSERT INTO files (path, session, place) VALUES (?, ?, ?)");
  return Number(insert.run(path, session, place).lastInsertRowid);
}

function noteSession(db: Database, file: LibraryFile, { project, isWhole }: Found): number {
  const owner = ownerOf(file, []).path ?? file.path;
  prepareOnce(db, "INSERT OR IGNORE INTO sessions (path) VALUES (?)").run(owner);
  if (file.agent === undefined && isWhole)
    prepareOnce(db, "UPDATE sessions SET project = ? WHERE path = ?").run(project, owner);
  return prepareOnce<{ id: number }>(db, "SELECT id FROM sessions WHERE path = ?").get(owner)?.id ?? 0;
}
