import { guessChange } from "../../format/identity/file-identity.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import type { Database, SqlInput, Statement } from "../../store/sqlite.js";
import type { LibraryChanges } from "../catalog/library-changes.js";
import type { Archive } from "../found-session.js";
import { belowRoots, boundsOf } from "../sources/below-roots.js";
import { createOpener, type LibraryFile, ownerOf } from "../sources/walk-library.js";

/** A transcript that may contain hits. */
export interface SearchedFile {
  readonly path: string;
  readonly agentId: string | null;
  readonly session: SearchedSession;
  readonly mtimeMs: number;
  readonly size: number;
  /** The session's title may be in a file beside it. */
  readonly hasTitleFile: boolean;
  /** What the index knows of it; undefined: nothing, or it was rewritten since. */
  readonly row: IndexedFile | undefined;
  open(): string;
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
type FileCells = readonly [
  id: number,
  path: string,
  owner: string | null,
  sessionId: string,
  agentId: string | null,
  archive: string | null,
  textOffset: number,
  textLine: number,
  size: number,
  mtime: number,
  ctime: number,
  inode: number,
  titleState: string,
  problem: string | null,
];

const CELLS = `id, path, owner, session_id, agent_id, archive, text_offset, text_line, size, mtime, ctime, inode, title_state,
  problem`;

/** The files of a search: what is found in the index, and what has to be read besides. */
export class SearchedFiles {
  readonly #sessions = new Map<string, SearchedSession>();
  readonly #open: (path: string, archive: string | null) => string;
  readonly #stale: ReadonlyMap<string, LibraryFile>;
  readonly #gone: ReadonlySet<string>;
  #selectArchive: Statement<{ archive: string | null }> | undefined;

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
  ofIndex(ids: readonly number[]): Map<number, SearchedFile> {
    const files = this.#select("id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
    return new Map(files.map((file) => [file.row?.id ?? -1, file]));
  }

  /** Of these sessions of the catalog, the transcripts. */
  ofSessions(ids: readonly string[]): SearchedFile[] {
    if (ids.length === 0) return [];
    return this.#select("agent_id IS NULL AND session_id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
  }

  /** The transcripts of the catalog with such a title. */
  *titled(isWanted: (title: string) => boolean): Generator<SearchedFile> {
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

  #select(condition: string, ...params: readonly SqlInput[]): SearchedFile[] {
    const rows = this.#readCells(
      `${condition} AND ${belowRoots(this.roots, "+path")}`,
      ...params,
      ...boundsOf(this.roots),
    );
    return rows.filter((row) => this.#isKnown(row)).map((row) => this.#toFile(row));
  }

  #readCells(condition: string, ...params: readonly SqlInput[]): FileCells[] {
    const sql = `SELECT group_concat(json_array(${CELLS})) AS rows FROM files WHERE ${condition}`;
    return JSON.parse(`[${this.db?.prepare<{ rows: string | null }>(sql).get(...params)?.rows ?? ""}]`) as FileCells[];
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
    this.#selectArchive ??= this.db.prepare("SELECT archive FROM files WHERE path = ?");
    return this.#open(path, this.#selectArchive.get(path)?.archive ?? null);
  }

  /** When the catalog last saw activity in these sessions, by path; ms since the epoch. */
  endsOf(paths: readonly string[]): Map<string, number> {
    const sql = `SELECT group_concat(json_array(f.path, s.ended)) AS rows
      FROM json_each(?) wanted CROSS JOIN files f ON f.path = wanted.value CROSS JOIN sessions s ON s.file = f.id`;
    const text = this.db?.prepare<{ rows: string | null }>(sql).get(JSON.stringify(paths))?.rows;
    const rows = JSON.parse(`[${text ?? ""}]`) as [string, string | null][];
    return new Map(rows.flatMap(([path, ended]) => (ended === null ? [] : [[path, Date.parse(ended)]])));
  }

  /** Whether the catalog has this session as it is now. */
  isCatalogued({ path }: SearchedSession): boolean {
    return this.db !== undefined && !this.#stale.has(path) && !this.#gone.has(path);
  }

  #isKnown(row: FileCells): boolean {
    const file = this.#stale.get(row[1]);
    return !this.#gone.has(row[1]) && (file === undefined || hasGrown(row, file));
  }

  #toFile(row: FileCells): SearchedFile {
    const [id, path, owner, sessionId, agentId, archive, textOffset, textLine, size, mtimeMs] = row;
    return {
      path,
      agentId,
      session: this.#session(sessionId, owner ?? path),
      mtimeMs,
      size,
      hasTitleFile: row[12] !== "",
      row: { id, textOffset, textLine },
      open: () => this.#open(path, archive),
    };
  }

  #toStale(file: LibraryFile): SearchedFile {
    const [row] = this.#readCells("path = ?", file.path);
    const { sessionId, path } = ownerOf(file, this.problems);
    return {
      path: file.path,
      agentId: file.agent?.agentId ?? null,
      session: this.#session(sessionId, path ?? file.path),
      mtimeMs: file.mtimeMs,
      size: file.size,
      hasTitleFile: file.titleState !== "",
      row: row && hasGrown(row, file) ? { id: row[0], textOffset: row[6], textLine: row[7] } : undefined,
      open: file.open,
    };
  }

  #session(id: string, path: string): SearchedSession {
    const session = this.#sessions.get(path) ?? { id, path };
    this.#sessions.set(path, session);
    return session;
  }
}

/** The beginning is as it was indexed, as far as the state tells: hits are read and matched again before they are shown. */
function hasGrown(row: FileCells, file: LibraryFile): boolean {
  const [size, mtimeMs, ctimeMs, inode] = [row[8], row[9], row[10], row[11]];
  const change = guessChange({ size, mtimeMs, ctimeMs, inode }, file);
  return row[13] === null && (change === "same" || change === "grown");
}
