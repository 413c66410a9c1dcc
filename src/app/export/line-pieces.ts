import { redactRecord } from "../../edit/redact-record.js";
import { type Line, LineSplitter } from "../../format/line-splitter.js";
import { parseLine } from "../../format/parse-line.js";
import type { LogRecord } from "../../format/record.js";
import { readChunks } from "../../format/record-reader.js";
import type { Clean } from "../../redact/clean.js";
import type { Io } from "../io.js";

/** The file byte by byte. */
export function* copyPieces(path: string): Generator<Uint8Array> {
  for (const chunk of readChunks(path)) yield Buffer.from(chunk);
}

/** Redacting takes about five times a line's size in memory; the long texts of a longer one are cut instead. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

/** Line by line: only strings in which something was found are written anew, all other bytes stay. */
export function* redactedLinePieces(path: string, clean: Clean, io: Pick<Io, "stderr">): Generator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  const splitter = new LineSplitter((line) => pieces.push(redactLine(line, clean, io)), {
    maxLineBytes: MAX_LINE_BYTES,
  });
  for (const chunk of readChunks(path)) {
    splitter.push(chunk);
    yield* pieces;
    pieces = [];
  }
  splitter.end();
  yield* pieces;
}

function redactLine(line: Line, clean: Clean, io: Pick<Io, "stderr">): Uint8Array {
  if (line.isAbridged) io.stderr(`turnlog: line ${line.number} is too long to redact; its long texts are cut\n`);
  const bytes = line.bytes.subarray(line.start, line.end);
  const parts: Buffer[] = [];
  let done = 0;
  for (const { record, start, end } of stretchesOf(line)) {
    parts.push(bytes.subarray(done, start), redactRecord(record, bytes.subarray(start, end), clean));
    done = end;
  }
  return Buffer.concat([...parts, bytes.subarray(done), Buffer.from(line.isTerminated ? "\n" : "")]);
}

interface Stretch {
  readonly record: LogRecord;
  readonly start: number;
  readonly end: number;
}

/** A record has its line for itself, but for those that were glued together. */
function stretchesOf(line: Line): Stretch[] {
  const records = parseLine(line);
  return records.map((record) => {
    if (records.length === 1) return { record, start: 0, end: line.end - line.start };
    const start = record.offset - line.offset;
    return { record, start, end: start + record.length };
  });
}
