import type { Line } from "../../src/format/reader/parse-line.js";
import {
  LineSplitter,
  type ReadOptions,
  RecordReader,
  type SplitOptions,
} from "../../src/format/reader/record-reader.js";
import type { LogRecord } from "../../src/format/record/record.js";

/** Lines with copies of their bytes. */
export function splitPieces(pieces: Iterable<Buffer>, options: SplitOptions = {}): Line[] {
  const lines: Line[] = [];
  const splitter = new LineSplitter((line) => {
    const bytes = Buffer.from(line.bytes.subarray(line.start, line.end));
    lines.push({ ...line, bytes, start: 0, end: bytes.length });
  }, options);
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  return lines;
}

/** The file that the lines came from. */
export function joinLines(lines: readonly Line[]): Buffer {
  return Buffer.concat(lines.flatMap(({ bytes, isTerminated }) => [bytes, Buffer.from(isTerminated ? "\n" : "")]));
}

/** Overwrites each piece after it was read, as a reused buffer does. */
export function readPieces(pieces: Iterable<Buffer>, options: ReadOptions = {}): LogRecord[] {
  const reader = new RecordReader(options);
  const records: LogRecord[] = [];
  for (const piece of pieces) {
    const copy = Buffer.from(piece);
    records.push(...reader.push(copy));
    copy.fill(0x58);
  }
  return [...records, ...reader.end()];
}
