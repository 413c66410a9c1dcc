import { guessChange } from "../../format/identity/file-identity.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import type { Database, SqlInput } from "../../store/sqlite.js";
import { type FileRow, stateOfRow } from "../catalog/file-rows.js";
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
  readonly text_offset: number;
  readonly text_line: number;
}

/** A row of `files` with the session that it belongs to. */
interface OwnedRow extends FileRow {
  readonly owner: string | null;
  readonly session_id: string;
}

const COLUMNS = `id, path, owner, session_id, agent_id, size, mtime, ctime, inode, cursor, is_counted, problem, archive, title_state,
  text_offset, text_line`;

/** The files of a search: what is found in the index, and what has to be read besides. */
export class SearchedFiles {
  readonly #sessions = new Map<string, SearchedSession>();
  readonly #open: (path: string, archive: string | null) => string;
  readonly #stale: ReadonlyMap<string, LibraryFile>;
  readonly #gone: ReadonlySet<string>;

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
    const sql = `SELECT ${COLUMNS} FROM files WHERE ${condition} AND ${belowRoots(this.roots, "path")}`;
    const rows = this.db?.prepare<OwnedRow>(sql).all(...params, ...boundsOf(this.roots)) ?? [];
    return rows.filter((row) => this.#isKnown(row)).map((row) => this.#toFile(row));
  }

  hasTranscript({ path }: SearchedSession): boolean {
    if (this.#stale.has(path)) return true;
    const row = this.db?.prepare("SELECT 1 FROM files WHERE path = ?").get(path);
    return row !== undefined && !this.#gone.has(path);
  }

  /** Where the transcript of a session can be read. */
  openTranscript({ path }: SearchedSession): string {
    const row = this.db?.prepare<{ archive: string | null }>("SELECT archive FROM files WHERE path = ?").get(path);
    return this.#stale.get(path)?.open() ?? this.#open(path, row?.archive ?? null);
  }

  /** Whether the catalog has this session as it is now. */
  isCatalogued({ path }: SearchedSession): boolean {
    return this.db !== undefined && !this.#stale.has(path) && !this.#gone.has(path);
  }

  #isKnown(row: OwnedRow): boolean {
    const file = this.#stale.get(row.path);
    return !this.#gone.has(row.path) && (file === undefined || hasGrown(row, file));
  }

  #toFile({ owner, path, session_id, agent_id, archive, mtime, size, title_state, ...row }: OwnedRow): SearchedFile {
    return {
      path,
      agentId: agent_id,
      session: this.#session(session_id, owner ?? path),
      mtimeMs: mtime,
      size,
      hasTitleFile: title_state !== "",
      row,
      open: () => this.#open(path, archive),
    };
  }

  #toStale(file: LibraryFile): SearchedFile {
    const select = this.db?.prepare<OwnedRow>(`SELECT ${COLUMNS} FROM files WHERE path = ?`);
    const row = select?.get(file.path);
    const { sessionId, path } = ownerOf(file, this.problems);
    return {
      path: file.path,
      agentId: file.agent?.agentId ?? null,
      session: this.#session(sessionId, path ?? file.path),
      mtimeMs: file.mtimeMs,
      size: file.size,
      hasTitleFile: file.titleState !== "",
      row: row && hasGrown(row, file) ? row : undefined,
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
function hasGrown(row: FileRow, file: LibraryFile): boolean {
  const change = guessChange(stateOfRow(row), file);
  return row.problem === null && (change === "same" || change === "grown");
}
