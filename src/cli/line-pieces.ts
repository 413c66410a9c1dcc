import { type Line, LineSplitter } from "../format/line-splitter.js";
import { parseLine } from "../format/parse-line.js";
import type { LogRecord } from "../format/record.js";
import { readChunks } from "../format/record-reader.js";
import { isKnownType } from "../format/record-types.js";
import type { Clean } from "./clean.js";
import type { Io } from "./io.js";
import { rewriteStrings } from "./rewrite-strings.js";

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

function redactRecord(record: LogRecord, bytes: Buffer, clean: Clean): Buffer {
  if (record.kind === "broken") {
    const text = bytes.toString("utf8");
    const cleaned = clean(text, "broken line");
    return cleaned === text ? bytes : Buffer.from(cleaned);
  }
  const cleaned = cleanFields(record.raw, isKnownType(record.type) ? record.type : "other", clean);
  return rewriteStrings(bytes, record.raw, cleaned) ?? Buffer.from(JSON.stringify(cleaned));
}

/** Field by field, so that the report can say in which one something was found; a name may be a secret itself. */
function cleanFields(raw: Readonly<Record<string, unknown>>, type: string, clean: Clean): object {
  const names = Object.keys(raw).map((key) => clean(key, type));
  if (new Set(names).size < names.length) return clean(raw, type);
  const values = Object.values(raw);
  return Object.fromEntries(
    names.map((name, at) => [name, clean({ [name]: values[at] }, `${type}.${name}`)[name]] as const),
  );
}
