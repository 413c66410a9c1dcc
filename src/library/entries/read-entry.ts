import { deflateSync, inflateSync } from "node:zlib";
import { type Cursor, type Follower, openFollower } from "../../format/identity/follow-file.js";
import { tryParseJson } from "../../format/json.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { readRecords } from "../../format/reader/record-reader.js";
import type { LogRecord } from "../../format/record/record.js";
import { type SessionHeader, toHeader } from "../../session/describe-session.js";
import { type OpenSession, type Outline, openSession, type Snapshot } from "../../session/open-session.js";
import { readSidecarTitle } from "../load/load-session.js";
import { type FileBrief, type FileNumbers, toFileBrief, toFileNumbers } from "./file-numbers.js";

/** A file to be read for the catalog, and what the catalog has of it. */
export interface EntryRequest {
  /** Its path in the library. */
  readonly path: string;
  /** Where it is read from. */
  readonly openPath: string;
  readonly isAgent: boolean;
  /** It is expected to grow: a snapshot saves reading it again. */
  readonly isGrowing: boolean;
  readonly known: KnownEntry | undefined;
}

export interface KnownEntry {
  readonly cursor: EntryCursor;
  /** Its numbers are those of the cursor. */
  readonly isCounted: boolean;
  snapshot(): Uint8Array | undefined;
}

export interface EntryCursor extends Cursor {
  /** Its unterminated last line replaces an earlier record: if that line changes, all is read again. */
  readonly tailReplaces?: true;
}

/** What the catalog stores of a file. */
export interface CatalogEntry {
  /** Nothing that is known of the file counts any more. */
  readonly isRestarted: boolean;
  readonly cursor: EntryCursor;
  /** Offsets of earlier records that the new ones replace. */
  readonly replaced: readonly number[];
  readonly numbers: FileNumbers;
  readonly brokenLines: number;
  /** Undefined: as it was; null: none. */
  readonly snapshot: Uint8Array | null | undefined;
}

/** `missing`: there is no file any more. `unchanged`: nothing was added to what the catalog has. */
export type EntryOutcome = CatalogEntry | "missing" | "unchanged";

/** Bounds how long reading takes until the next chance to do something else. */
const PIECE_BYTES = 1024 * 1024;

/** A session that is being read for the catalog, and read on when it has grown. */
export class EntryReading {
  /** Undefined until something of the file is read. */
  #session: OpenSession | undefined;
  #follower: Follower;
  /** End of what the stored snapshot covers. */
  #snapshotOffset = 0;
  #replaced: number[] = [];
  #isRestarted = false;
  #hasReadTail = false;

  constructor(private readonly request: EntryRequest) {
    this.#follower = this.#follow(request.openPath, request.known?.cursor);
  }

  get cursor(): Cursor {
    return this.#follower.cursor;
  }

  /** False after an unterminated line was taken in: it may still change. */
  get canContinue(): boolean {
    return !this.#hasReadTail;
  }

  isAt(openPath: string, cursor: Cursor): boolean {
    return openPath === this.request.openPath && JSON.stringify(cursor) === JSON.stringify(this.cursor);
  }

  /** Reading can go on afterwards. */
  close(): void {
    this.#follower.close();
  }

  /** Reads what was added to the file; yields the number of bytes after each piece. */
  *read(request: EntryRequest): Generator<number, EntryOutcome> {
    this.#replaced = [];
    this.#isRestarted = false;
    for (let isFirst = true; ; isFirst = false) {
      const from = this.cursor.offset;
      const piece = this.#follower.poll();
      if (piece.isMissing) return "missing";
      const isTailKept = piece.isTailKept || piece.fromTail > 0;
      if (isFirst && request.known?.cursor.tailReplaces && !piece.restarted && !isTailKept) {
        this.close();
        this.#restart();
        this.#follower = this.#follow(request.openPath);
        continue;
      }
      const isUnchanged = isFirst && !piece.restarted && this.cursor.offset === from && piece.isTailKept;
      if (isUnchanged && !piece.isMore && request.known?.isCounted) return "unchanged";
      yield Math.max(0, this.cursor.offset - (piece.restarted ? 0 : from));
      if (!piece.isMore) return this.#finish(request, piece.tail !== undefined);
    }
  }

  #follow(path: string, from?: Cursor): Follower {
    const sink = { restart: () => this.#restart(), add: (record: LogRecord) => this.#add(record) };
    return openFollower(path, from, { budgetBytes: PIECE_BYTES, abridge: true, sink });
  }

  #restart(): void {
    this.#session = openSession();
    this.#snapshotOffset = 0;
    this.#replaced = [];
    this.#isRestarted = true;
  }

  #add(record: LogRecord): void {
    const place = this.#resumed().push(record);
    if (place) this.#replaced.push(place.offset);
  }

  /** Continues from a snapshot; the records after it, or all records without one, are read again. */
  #resumed(): OpenSession {
    if (this.#session) return this.#session;
    const { openPath, known } = this.request;
    const offset = known?.cursor.offset ?? 0;
    const kept = offset > 0 ? unpackSnapshot(known?.snapshot()) : undefined;
    this.#session = openSession(kept?.state);
    this.#snapshotOffset = kept?.at.offset ?? 0;
    for (const record of readAgain(openPath, kept?.at, offset)) this.#session.push(record);
    return this.#session;
  }

  /** The snapshot ends with the last complete line, the numbers with the tail. */
  #finish({ path, openPath, isAgent, isGrowing }: EntryRequest, hasTail: boolean): CatalogEntry {
    const session = this.#resumed();
    const snapshot = this.#takeSnapshot(session, isGrowing);
    const before = this.#replaced.length;
    const tail = hasTail ? readTail(openPath, this.cursor) : [];
    this.#hasReadTail = tail.length > 0;
    for (const record of tail) this.#add(record);
    const tailReplaces = this.#replaced.length > before;
    const { outline, header } = describe(session, { path, openPath, isAgent });
    return {
      isRestarted: this.#isRestarted,
      cursor: tailReplaces ? { ...this.cursor, tailReplaces } : this.cursor,
      replaced: this.#replaced,
      numbers: toFileNumbers(outline, header, isAgent),
      brokenLines: outline.totals.brokenLines,
      snapshot,
    };
  }

  #takeSnapshot(session: OpenSession, isGrowing: boolean): CatalogEntry["snapshot"] {
    const { offset, line } = this.cursor;
    if (!isGrowing) return this.#snapshotOffset > 0 ? null : undefined;
    if (!needsSnapshot(offset, this.#snapshotOffset)) return undefined;
    this.#snapshotOffset = offset;
    return packSnapshot({ at: { offset, line }, state: session.snapshot() });
  }
}

/** Only what a list of sessions shows of a file, and nothing to continue from. */
export function readBrief(file: Pick<EntryRequest, "path" | "openPath" | "isAgent">): FileBrief {
  const session = openSession();
  for (const record of readRecords(file.openPath, { abridge: true })) session.push(record);
  const { outline, header } = describe(session, file);
  return toFileBrief(outline, header, file.isAgent);
}

function describe(
  session: OpenSession,
  { path, openPath, isAgent }: Pick<EntryRequest, "path" | "openPath" | "isAgent">,
): { readonly outline: Outline; readonly header: SessionHeader } {
  const sidecarTitle = isAgent ? undefined : readSidecarTitle(openPath);
  const outline = session.view(sidecarTitle === undefined ? {} : { sidecarTitle });
  return { outline, header: toHeader(outline, { id: sessionPaths(path).id, path }) };
}

/** A last line without a newline, if it can be parsed. It is read again when the file changes. */
function readTail(path: string, { offset, line }: Cursor): LogRecord[] {
  const records = [...readRecords(path, { offset, line, abridge: true })];
  return records.some(({ kind }) => kind !== "broken") ? records : [];
}

function* readAgain(path: string, from: SnapshotPlace = { offset: 0, line: 1 }, to: number): Generator<LogRecord> {
  if (from.offset >= to) return;
  for (const record of readRecords(path, { ...from, abridge: true })) {
    if (record.offset >= to) return;
    yield record;
  }
}

/** What was known of a session when its file had been read up to a place. */
export interface KeptSnapshot {
  readonly at: SnapshotPlace;
  readonly state: Snapshot;
}

type SnapshotPlace = Pick<Cursor, "offset" | "line">;

const FASTEST = 1;
/** Reading this much again without texts takes less time than writing a snapshot after every append. */
const STEP_BYTES = 256 * 1024;
const STEP_SHARE = 1 / 8;

/** Whether a file that was read up to `offset` has grown enough since its last snapshot for a new one. */
export function needsSnapshot(offset: number, lastOffset: number): boolean {
  return offset - lastOffset >= Math.max(STEP_BYTES, offset * STEP_SHARE);
}

export function packSnapshot(kept: KeptSnapshot): Uint8Array {
  return deflateSync(JSON.stringify(kept), { level: FASTEST });
}

export function unpackSnapshot(bytes: Uint8Array | undefined): KeptSnapshot | undefined {
  return bytes ? (tryParseJson(inflateSync(bytes).toString()) as KeptSnapshot) : undefined;
}
