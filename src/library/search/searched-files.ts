import { isSameState } from "../../format/identity/file-identity.js";
import { type Cursor, isCursorValid } from "../../format/identity/follow-file.js";
import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import { once } from "../../lazy.js";
import { type Database, prepareOnce, type SqlInput, type Statement } from "../../store/sqlite.js";
import type { LibraryChanges } from "../catalog/library-changes.js";
import type { Archive } from "../found-session.js";
import { belowRoots, boundsOf } from "../sources/below-roots.js";
import { createOpener, type LibraryFile, ownerOf } from "../sources/walk-library.js";

/** A transcript with hits. */
export interface FoundFile {
  readonly path: string;
  readonly agentId: string | null;
  readonly session: SearchedSession;
  open(): string;
}

/** A transcript that is read for hits. */
export interface SearchedFile extends FoundFile {
  readonly mtimeMs: number;
  readonly size: number;
  /** The session's title may be in a file beside it. */
  readonly hasTitleFile: boolean;
  /** What the index knows of it; undefined: nothing, or it was rewritten since. */
  readonly row: IndexedFile | undefined;
}

/** A session with its sub-agents; the transcript itself may be missing. */
export interface SearchedSession {
  readonly id: string;
  readonly path: string;
}

export interface IndexedFile {
  readonly id: number;
  readonly textOffset: number;
  readonly textLine: number;
}

/** What a search needs of a row of `files`, as one JSON array: reading thousands of rows with many columns takes longer than to find them. */
type FoundCells = readonly [
  id: number,
  path: string,
  owner: string | null,
  sessionId: string,
  agentId: string | null,
  archive: string | null,
];

type FileCells = readonly [
  ...found: FoundCells,
  textOffset: number,
  textLine: number,
  size: number,
  mtime: number,
  ctime: number,
  inode: number,
  titleState: string,
  problem: string | null,
  cursor: string | null, // JSON
];

const FOUND_CELLS = "id, path, owner, session_id, agent_id, archive";
const CELLS = `${FOUND_CELLS}, text_offset, text_line, size, mtime, ctime, inode, title_state, problem, cursor`;

/** Rows of more files than this are kept for the next search: common words are in most files. */
const FEW_FILES = 300;
const rowsOf = new WeakMap<Database, { readonly state: string; readonly rows: ReadonlyMap<number, FoundCells> }>();

/** Differs after every change of the database, by this connection or by another. */
function stateOf(db: Database): string {
  const sql = "SELECT (SELECT data_version FROM pragma_data_version) || ' ' || total_changes() AS state";
  return prepareOnce<{ state: string }>(db, sql).get()?.state ?? "";
}

/** The files of a search: what is found in the index, and what has to be read besides. */
export class SearchedFiles {
  readonly #sessions = new Map<string, SearchedSession>();
  readonly #open: (path: string, archive: string | null) => string;
  readonly #stale: ReadonlyMap<string, LibraryFile>;
  readonly #gone: ReadonlySet<string>;
  /** By path: known bytes are compared once. */
  readonly #isGrown = new Map<string, boolean>();
  #selectArchive: Statement<{ archive: string | null }> | undefined;
  readonly #staleRows = once(() => {
    const condition = "path IN (SELECT value FROM json_each(?))";
    const rows = this.#readCells<FileCells>(CELLS, condition, JSON.stringify([...this.#stale.keys()]));
    return new Map(rows.map((row) => [row[1], row]));
  });

  constructor(
    private readonly db: Database | undefined,
    private readonly roots: readonly string[],
    private readonly problems: FileProblem[],
    archive: Archive | undefined,
    changes: LibraryChanges,
  ) {
    this.#open = createOpener(archive);
    this.#stale = new Map(changes.stale.map((file) => [file.path, file]));
    this.#gone = new Set(changes.gone);
  }

  /** Files of the index by their numbers, without those that are gone or were rewritten since. */
  ofIndex(ids: readonly number[]): Map<number, FoundFile> {
    if (ids.length <= FEW_FILES) return this.#find("id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
    const known = this.#allRows();
    return this.#toFoundFiles(ids.map((id) => known.get(id)).filter((row) => row !== undefined));
  }

  /** Read again only when the index has changed since. */
  #allRows(): ReadonlyMap<number, FoundCells> {
    if (!this.db) return new Map();
    const state = `${stateOf(this.db)} ${this.roots.join("\n")}`;
    const known = rowsOf.get(this.db);
    if (known?.state === state) return known.rows;
    const rows = new Map(this.#readBelow<FoundCells>(FOUND_CELLS, "1").map((row) => [row[0], row]));
    rowsOf.set(this.db, { state, rows });
    return rows;
  }

  /** Of these sessions of the catalog, the transcripts. */
  ofSessions(ids: readonly string[]): Iterable<FoundFile> {
    if (ids.length === 0) return [];
    const condition = "agent_id IS NULL AND session_id IN (SELECT value FROM json_each(?))";
    return this.#find(condition, JSON.stringify(ids)).values();
  }

  /** The transcripts of the catalog with such a title. */
  *titled(isWanted: (title: string) => boolean): Generator<FoundFile> {
    const rows = this.db?.prepare<{ file: number; title: string }>("SELECT file, title FROM sessions").all() ?? [];
    const files = rows.filter(({ title }) => isWanted(title)).map(({ file }) => file);
    yield* this.ofIndex(files).values();
  }

  /** Files with texts that are not in the index, or all files as if there was none; newest first. */
  toRead(which: "unindexed" | "all"): SearchedFile[] {
    const known = this.#select(which === "all" ? "1" : "(text_offset < size OR text_offset < read_offset)");
    const files = [
      ...known.filter(({ path }) => !this.#stale.has(path)),
      ...Array.from(this.#stale.values(), (file) => this.#toStale(file)),
    ];
    const read = which === "all" ? files.map((file) => ({ ...file, row: undefined })) : files;
    return read.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1));
  }

  #find(condition: string, param: string): Map<number, FoundFile> {
    return this.#toFoundFiles(this.#readBelow<FoundCells>(FOUND_CELLS, condition, param));
  }

  #toFoundFiles(rows: readonly FoundCells[]): Map<number, FoundFile> {
    return new Map(rows.filter(([, path]) => this.#isKnown(path)).map((row) => [row[0], this.#toFound(row)]));
  }

  #select(condition: string): SearchedFile[] {
    const rows = this.#readBelow<FileCells>(CELLS, condition);
    return rows.filter(([, path]) => this.#isKnown(path)).map((row) => this.#toFile(row));
  }

  #readBelow<Cells>(cells: string, condition: string, ...params: readonly SqlInput[]): Cells[] {
    const below = `${condition} AND ${belowRoots(this.roots, "+path")}`;
    return this.#readCells<Cells>(cells, below, ...params, ...boundsOf(this.roots));
  }

  #readCells<Cells>(cells: string, condition: string, ...params: readonly SqlInput[]): Cells[] {
    const sql = `SELECT group_concat(json_array(${cells})) AS rows FROM files WHERE ${condition}`;
    const text = this.db && prepareOnce<{ rows: string | null }>(this.db, sql).get(...params)?.rows;
    return JSON.parse(`[${text ?? ""}]`) as Cells[];
  }

  hasTranscript({ path }: SearchedSession): boolean {
    if (this.#stale.has(path)) return true;
    const row = this.db?.prepare("SELECT 1 FROM files WHERE path = ?").get(path);
    return row !== undefined && !this.#gone.has(path);
  }

  /** Where the transcript of a session can be read. */
  openTranscript({ path }: SearchedSession): string {
    const stale = this.#stale.get(path)?.open();
    if (stale !== undefined || !this.db) return stale ?? this.#open(path, null);
    this.#selectArchive ??= prepareOnce(this.db, "SELECT archive FROM files WHERE path = ?");
    return this.#open(path, this.#selectArchive.get(path)?.archive ?? null);
  }

  /** When the catalog last saw activity in these sessions, by path; ms since the epoch. */
  endsOf(paths: readonly string[]): Map<string, number> {
    if (paths.length === 0) return new Map();
    const sql = `SELECT group_concat(json_array(f.path, s.ended)) AS rows
      FROM json_each(?) wanted CROSS JOIN files f ON f.path = wanted.value CROSS JOIN sessions s ON s.file = f.id`;
    const text = this.db && prepareOnce<{ rows: string | null }>(this.db, sql).get(JSON.stringify(paths))?.rows;
    const rows = JSON.parse(`[${text ?? ""}]`) as [string, string | null][];
    return new Map(rows.flatMap(([path, ended]) => (ended === null ? [] : [[path, Date.parse(ended)]])));
  }

  /** Whether the catalog has this session as it is now. */
  isCatalogued({ path }: SearchedSession): boolean {
    return this.db !== undefined && !this.#stale.has(path) && !this.#gone.has(path);
  }

  #isKnown(path: string): boolean {
    const file = this.#stale.get(path);
    return !this.#gone.has(path) && (file === undefined || this.#grown(file) !== undefined);
  }

  /** The row of a file whose beginning is still as it was indexed. */
  #grown(file: LibraryFile): FileCells | undefined {
    const row = this.#staleRows().get(file.path);
    if (!row) return undefined;
    const isGrown = this.#isGrown.get(file.path) ?? hasGrown(row, file);
    this.#isGrown.set(file.path, isGrown);
    return isGrown ? row : undefined;
  }

  #toFound([, path, owner, sessionId, agentId, archive]: FoundCells): FoundFile {
    return { path, agentId, session: this.#session(sessionId, owner ?? path), open: () => this.#open(path, archive) };
  }

  #toFile(row: FileCells): SearchedFile {
    const [id, path, owner, sessionId, agentId, archive, textOffset, textLine, size, mtimeMs] = row;
    return {
      ...this.#toFound([id, path, owner, sessionId, agentId, archive]),
      mtimeMs,
      size,
      hasTitleFile: row[12] !== "",
      row: { id, textOffset, textLine },
    };
  }

  #toStale(file: LibraryFile): SearchedFile {
    const row = this.#grown(file);
    const { sessionId, path } = ownerOf(file, this.problems);
    return {
      path: file.path,
      agentId: file.agent?.agentId ?? null,
      session: this.#session(sessionId, path ?? file.path),
      mtimeMs: file.mtimeMs,
      size: file.size,
      hasTitleFile: file.titleState !== "",
      row: row && { id: row[0], textOffset: row[6], textLine: row[7] },
      open: file.open,
    };
  }

  #session(id: string, path: string): SearchedSession {
    const session = this.#sessions.get(path) ?? { id, path };
    this.#sessions.set(path, session);
    return session;
  }
}

/** The beginning is as it was indexed: by its state, or by its bytes where that differs. */
function hasGrown(row: FileCells, file: LibraryFile): boolean {
  const [size, mtimeMs, ctimeMs, inode, problem, cursor] = [row[8], row[9], row[10], row[11], row[13], row[14]];
  if (problem !== null || cursor === null) return false;
  if (isSameState({ size, mtimeMs, ctimeMs, inode }, file)) return true;
  return attempt(file.path, [], () => isCursorValid(file.open(), JSON.parse(cursor) as Cursor)) ?? false;
}
