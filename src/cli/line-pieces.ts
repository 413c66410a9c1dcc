import { type Line, LineSplitter } from "../format/line-splitter.js";
import { parseLine } from "../format/parse-line.js";
import type { LogRecord } from "../format/record.js";
import { readChunks } from "../format/record-reader.js";
import type { Clean } from "./clean.js";
import type { Io } from "./io.js";

/** The file byte by byte. */
export function* copyPieces(path: string): Generator<Uint8Array> {
  for (const chunk of readChunks(path)) yield Buffer.from(chunk);
}

/** A longer line cannot be one string; its long texts are cut instead. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Line by line: a line in which nothing was found is copied as it is, another is written anew. */
export function* redactedLinePieces(path: string, clean: Clean, io: Io): Generator<Uint8Array | string> {
  let pieces: (Uint8Array | string)[] = [];
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

function redactLine(line: Line, clean: Clean, io: Io): Uint8Array | string {
  const end = line.isTerminated ? "\n" : "";
  const original = Buffer.concat([line.bytes.subarray(line.start, line.end), Buffer.from(end)]);
  if (line.isAbridged) io.stderr(`turnlog: line ${line.number} is too long to redact; its long texts are cut\n`);
  const records = parseLine(line);
  const texts = records.map((record) => redactRecord(record, line, clean));
  return texts.some((text) => text !== undefined) || line.isAbridged
    ? texts.map((text, at) => text ?? JSON.stringify(rawOf(records[at]))).join("") + end
    : original;
}

/** Undefined where nothing had to go. */
function redactRecord(record: LogRecord, line: Line, clean: Clean): string | undefined {
  if (record.kind === "broken") {
    const text = line.bytes.toString("utf8", line.start, line.end);
    const cleaned = clean(text, "broken line");
    return cleaned === text ? undefined : cleaned;
  }
  let isChanged = false;
  const entries = Object.entries(record.raw).map(([key, value]) => {
    const cleaned = clean({ [key]: value }, `${record.type}.${key}`)[key];
    isChanged ||= JSON.stringify(cleaned) !== JSON.stringify(value);
    return [key, cleaned];
  });
  return isChanged ? JSON.stringify(Object.fromEntries(entries)) : undefined;
}

function rawOf(record: LogRecord | undefined): unknown {
  return record && record.kind !== "broken" ? record.raw : undefined;
}
