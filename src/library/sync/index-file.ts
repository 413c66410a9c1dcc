import { deflateSync, inflateSync } from "node:zlib";
import { type Cursor, type FollowResult, openFollower } from "../../format/identity/follow-file.js";
import { tryParseJson } from "../../format/json.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { readRecords } from "../../format/reader/record-reader.js";
import type { LogRecord } from "../../format/record/record.js";
import { toHeader } from "../../session/describe-session.js";
import { type OpenSession, openSession, type Snapshot } from "../../session/open-session.js";
import { isGrowing } from "../activity.js";
import { toFileNumbers } from "../catalog/file-numbers.js";
import { cursorOf, type FileRow } from "../catalog/file-rows.js";
import { readSidecarTitle } from "../load/load-session.js";
import type { LibraryFile } from "../sources/walk-library.js";
import type { IndexWriter } from "./index-writer.js";

/** Bounds the memory in use: parsed records take several times their bytes. */
const PIECE_BYTES = 1024 * 1024;

interface Reading {
  readonly session: OpenSession;
  /** End of what the stored snapshot covers. */
  readonly snapshotOffset: number;
}

/**
 * Brings the catalog up to date with one file and yields the number of bytes after each piece. Between pieces the index is
 * consistent, so the work may be committed or stopped there.
 */
export function* catalogFile(writer: IndexWriter, file: LibraryFile, row: FileRow, now: number): Generator<number> {
  const path = file.open();
  const follower = openFollower(path, cursorOf(row), { budgetBytes: PIECE_BYTES, abridge: true });
  try {
    let reading: Reading | undefined;
    for (let isMore = true; isMore; ) {
      const from = follower.cursor;
      const piece = follower.poll();
      if (piece.isMissing) return;
      if (!reading && isIndexed(row, file, piece)) return writer.saveState(row.id, file);
      if (piece.restarted) writer.forgetContent(row.id);
      if (piece.restarted || !reading) reading = resume(writer, row, path, piece.restarted ? undefined : from);
      writer.saveReplaced(row.id, addRecords(piece.records, reading));
      writer.saveCursor(row.id, follower.cursor);
      yield follower.cursor.offset - (piece.restarted ? 0 : from.offset);
      isMore = piece.isMore;
      if (!isMore)
        finish(writer, file, row, reading, { ...follower.cursor, path, hasTail: piece.tail !== undefined }, now);
    }
  } finally {
    follower.close();
  }
}

/** Nothing was added to what the index has of a file. */
function isIndexed(row: FileRow, file: LibraryFile, { restarted, records, isMore, isTailKept }: FollowResult): boolean {
  const isUnchanged = !restarted && records.length === 0 && !isMore && isTailKept;
  return isUnchanged && row.is_counted === 1 && row.problem === null && row.title_state === file.titleState;
}

/** The snapshot ends with the last complete line, the numbers with the tail. */
function finish(
  writer: IndexWriter,
  file: LibraryFile,
  row: FileRow,
  reading: Reading,
  end: Cursor & { readonly path: string; readonly hasTail: boolean },
  now: number,
): void {
  keepSnapshot(writer, file, row, reading, end, now);
  if (end.hasTail) addRecords(readTail(end.path, end), reading);
  count(writer, file, row, reading, end.path);
}

/** A last line without a newline, if it can be parsed. It is read again when the file changes. */
function readTail(path: string, { offset, line }: Cursor): LogRecord[] {
  const records = [...readRecords(path, { offset, line, abridge: true })];
  return records.some(({ kind }) => kind !== "broken") ? records : [];
}

/** Returns the offsets of earlier records that they replace. */
function addRecords(records: readonly LogRecord[], { session }: Reading): number[] {
  return records.flatMap((record) => session.push(record)?.offset ?? []);
}

/** Continues from a snapshot; the records after it, or all records without one, are read again. */
function resume(writer: IndexWriter, row: FileRow, path: string, from: Cursor | undefined): Reading {
  const kept = from && from.offset > 0 ? unpackSnapshot(writer.snapshotOf(row.id)) : undefined;
  const session = openSession(kept?.state);
  for (const record of readAgain(path, kept?.at, from?.offset ?? 0)) session.push(record);
  return { session, snapshotOffset: kept?.at.offset ?? 0 };
}

function* readAgain(path: string, from: SnapshotPlace = { offset: 0, line: 1 }, to: number): Generator<LogRecord> {
  if (from.offset >= to) return;
  for (const record of readRecords(path, { ...from, abridge: true })) {
    if (record.offset >= to) return;
    yield record;
  }
}

function count(writer: IndexWriter, file: LibraryFile, row: FileRow, { session }: Reading, path: string): void {
  const isAgent = file.agent !== undefined;
  const sidecarTitle = isAgent ? undefined : readSidecarTitle(path);
  const outline = session.view(sidecarTitle === undefined ? {} : { sidecarTitle });
  const header = toHeader(outline, { id: sessionPaths(file.path).id, path: file.path });
  const titleBefore = writer.numbers.titleOf(row.id);
  writer.numbers.write(row.id, toFileNumbers(outline, header, isAgent));
  if (!isAgent) writer.docs.setTitle(row.id, header.title, titleBefore);
  writer.saveCounted(row.id, file, outline.totals.brokenLines);
}

function keepSnapshot(
  writer: IndexWriter,
  { mtimeMs }: LibraryFile,
  { id }: FileRow,
  { session, snapshotOffset }: Reading,
  { offset, line }: Cursor,
  now: number,
): void {
  if (!isGrowing(mtimeMs, now)) {
    if (snapshotOffset > 0) writer.saveSnapshot(id, undefined);
  } else if (needsSnapshot(offset, snapshotOffset)) {
    writer.saveSnapshot(id, packSnapshot({ at: { offset, line }, state: session.snapshot() }));
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

export function unpackSnapshot(bytes: Uint8Array | null | undefined): KeptSnapshot | undefined {
  return bytes ? (tryParseJson(inflateSync(bytes).toString()) as KeptSnapshot) : undefined;
}
