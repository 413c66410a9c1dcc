import { constants } from "node:buffer";
import { UserError } from "../errors.js";
import { type Line, LineSplitter } from "../format/line-splitter.js";
import type { Place } from "../format/record.js";
import { readChunks } from "../format/record-reader.js";

const NEWLINE = Buffer.from("\n");

/** A line, or several that are made when they are needed. */
type Lines = Buffer | Generator<Buffer>;

/** Whole lines of a file, each made into any number of lines. Every line ends with a newline, also the last. */
export function* mapLines(path: string, sizeBytes: number, edit: (line: Line) => readonly Lines[]): Generator<Buffer> {
  let lines: Lines[] = [];
  const maxLineBytes = constants.MAX_STRING_LENGTH;
  const splitter = new LineSplitter(
    (line) => {
      refuseTooLong(line, path);
      lines.push(...edit(line));
    },
    { maxLineBytes },
  );
  for (const chunk of readChunks(path, 0, sizeBytes)) {
    splitter.push(chunk);
    yield* eachOf(lines);
    lines = [];
  }
  splitter.end();
  yield* eachOf(lines);
}

function* eachOf(lines: readonly Lines[]): Generator<Buffer> {
  for (const line of lines) {
    if (Buffer.isBuffer(line)) yield line;
    else yield* line;
  }
}

/**
 * A line with its records edited, and all other bytes as they are: spaces, carriage returns, what stands between records that
 * were glued together. Undefined takes a record out; a line goes when all its records do.
 */
export function editLine<Record extends Place>(
  line: Line,
  records: readonly Record[],
  edit: (bytes: Buffer, record: Record) => Buffer | undefined,
): Buffer[] {
  const bytes = line.bytes.subarray(line.start, line.end);
  const parts: Buffer[] = [];
  let done = 0;
  let isKept = records.length === 0;
  for (const record of records) {
    const start = record.offset - line.offset;
    const edited = edit(bytes.subarray(start, start + record.length), record);
    parts.push(bytes.subarray(done, start));
    done = start + record.length;
    if (edited === undefined) continue;
    parts.push(edited);
    isKept = true;
  }
  return isKept ? [Buffer.concat([...parts, bytes.subarray(done), NEWLINE])] : [];
}

/** The records of a line, each on a line of its own, and nothing of what stands around them. */
export function splitLine<Record extends Place>(
  line: Line,
  records: readonly Record[],
  edit: (bytes: Buffer, record: Record) => Buffer | undefined,
): Buffer[] {
  return records.flatMap((record) => {
    const start = line.start + record.offset - line.offset;
    const edited = edit(line.bytes.subarray(start, Math.min(line.end, start + record.length)), record);
    return edited === undefined ? [] : [Buffer.concat([edited, NEWLINE])];
  });
}

function refuseTooLong({ isAbridged, number }: Line, path: string): void {
  if (!isAbridged) return;
  throw new UserError("unreadable", `line ${number} of ${path} is too long to be edited`, "nothing was written");
}
