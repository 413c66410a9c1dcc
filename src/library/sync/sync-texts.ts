import { statSync } from "node:fs";
import { guessChange, stateOf } from "../../format/identity/file-identity.js";
import { readRecords } from "../../format/reader/record-reader.js";
import type { LogRecord, Place } from "../../format/record/record.js";
import type { Database } from "../../store/sqlite.js";
import { LIVE_WINDOW_MS } from "../activity.js";
import { cursorOf, type FileRow, readBehindRows, stateOfRow } from "../catalog/file-rows.js";
import type { Archive } from "../found-session.js";
import { isBelow } from "../sources/below-roots.js";
import { createOpener } from "../sources/walk-library.js";
import { CallMemory } from "../text-index/file-texts.js";
import { earlierCalls, replacedIn } from "../text-index/find-docs.js";
import { type Doc, indexedWords } from "../text-index/write-docs.js";
import type { IndexWriter } from "./index-writer.js";

/** `due`: leaves the ends of sessions that are being written to the search, which reads them; `all`: the whole library. */
export type WantedTexts = "none" | "due" | "all";

/** A file with texts that are not indexed yet. */
export interface PendingTexts {
  readonly row: FileRow;
  /** Up to here: what the catalog has of it. */
  readonly end: Place;
  readonly path: string;
}

/** Reading this much when somebody searches takes less time than indexing it after every record. */
const SCANNED_BYTES = 512 * 1024;
const SCANNED_SHARE = 1 / 8;

/** Newest first. */
export function pendingTexts(
  db: Database,
  roots: readonly string[],
  wanted: WantedTexts,
  now: number,
  archive: Archive | undefined,
): PendingTexts[] {
  if (wanted === "none") return [];
  const open = createOpener(archive);
  const pending: PendingTexts[] = [];
  for (const row of readBehindRows(db)) {
    const cursor = cursorOf(row);
    if (!cursor || !isBelow(row.path, roots)) continue;
    const end = { offset: cursor.offset, line: cursor.line, length: 0 };
    pending.push({
      row,
      end,
      get path() {
        return open(row.path, row.archive);
      },
    });
  }
  const isSmall =
    bytesOf(pending.filter(({ row, end }) => !isDue(row, end.offset - row.text_offset, now))) < LEFT_BYTES;
  const due =
    wanted === "due" && isSmall
      ? pending.filter(({ row, end }) => isDue(row, end.offset - row.text_offset, now))
      : pending;
  return due.sort((a, b) => b.row.mtime - a.row.mtime || (a.row.path < b.row.path ? -1 : 1));
}

/** All that is left to the search together. */
const LEFT_BYTES = 4 * 1024 * 1024;

function bytesOf(pending: readonly PendingTexts[]): number {
  return pending.reduce((sum, { row, end }) => sum + end.offset - row.text_offset, 0);
}

/** A session that rests, or whose end has become long. */
function isDue({ mtime, text_offset }: FileRow, bytes: number, now: number): boolean {
  return now - mtime > LIVE_WINDOW_MS || bytes >= Math.max(SCANNED_BYTES, text_offset * SCANNED_SHARE);
}

/** Bounds the memory in use. */
const PIECE_BYTES = 512 * 1024;

/**
 * Indexes the texts of one file and yields the number of bytes after each piece. Between pieces the index is consistent, so the work
 * may be committed or stopped there. A file that changed since the catalog read it is left for the next sync.
 */
export function* indexTexts(db: Database, writer: IndexWriter, { row, end, path }: PendingTexts): Generator<number> {
  if (!isUnchanged(row)) return;
  const from = { offset: row.text_offset, line: row.text_line };
  const calls = new CallMemory(path, from.offset > 0 ? earlierCalls(db, row) : undefined);
  for (const { docs, bytes, next } of readDocs(path, from, end, calls, replacedIn(db, row.id))) {
    writer.docs.add(row.id, docs);
    writer.saveTextPlace(row.id, next);
    yield bytes;
  }
}

function isUnchanged(row: FileRow): boolean {
  if (row.archive !== null) return true;
  const stats = statSync(row.path, { throwIfNoEntry: false });
  const change = stats && guessChange(stateOfRow(row), stateOf(stats));
  return change === "same" || change === "grown";
}

interface DocPiece {
  readonly docs: readonly Doc[];
  readonly bytes: number;
  readonly next: Pick<Place, "offset" | "line">;
}

function* readDocs(
  path: string,
  from: Pick<Place, "offset" | "line">,
  end: Pick<Place, "offset" | "line">,
  calls: CallMemory,
  replaced: ReadonlySet<number>,
): Generator<DocPiece> {
  let docs: Doc[] = [];
  let start = from;
  let line = from.line;
  for (const record of readRecords(path, from)) {
    if (record.offset >= end.offset) break;
    // Several records may share a line; a piece ends with a line.
    if (record.offset - start.offset >= PIECE_BYTES && record.line !== line) {
      const next = { offset: record.offset, line: record.line };
      yield { docs, bytes: next.offset - start.offset, next };
      docs = [];
      start = next;
    }
    line = record.line;
    if (replaced.has(record.offset)) calls.remember(record);
    else for (const doc of toDocs(record, calls)) docs.push(doc);
  }
  yield { docs, bytes: end.offset - start.offset, next: end };
}

function toDocs(record: LogRecord, calls: CallMemory): Doc[] {
  const time = timeOf(record);
  return calls.textsOf(record).map(({ kind, text, tool, isError, part, place: { line, offset, length } }) => {
    return { kind, line, offset, length, part, tool, time, isError: isError ?? false, words: indexedWords(text) };
  });
}

function timeOf(record: LogRecord): number | undefined {
  const time = record.kind === "broken" ? Number.NaN : Date.parse(record.timestamp ?? "");
  return Number.isNaN(time) ? undefined : time;
}
