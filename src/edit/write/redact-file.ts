import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { toJsonText } from "../../format/json.js";
import { type Line, parseLine } from "../../format/reader/parse-line.js";
import { LineSplitter, readChunks } from "../../format/reader/record-reader.js";
import { isKnownType, type LogRecord } from "../../format/record/record.js";
import { rewriteStrings } from "../../format/writer/rewrite-strings.js";
import type { Clean, Redactor } from "../../redact/create-redactor.js";
import { listSideFiles } from "./side-files.js";

/*
 * How the files of a session are redacted. Edits, exports, dry runs and scans all go through here, so that each of them finds
 * what the others find.
 */

/** A line of a transcript without secrets, with its newline. */
export interface RedactedLine {
  readonly number: number;
  readonly bytes: Buffer;
  /** Its long texts were cut. */
  readonly isAbridged: boolean;
}

/** A part of a file that begins where a line does. */
export interface LineRange {
  readonly from?: number;
  readonly to?: number;
}

/** Redacting takes about five times the size of a line in memory; long texts of longer lines are cut. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

/** Line by line: only strings with findings are rewritten, all other bytes stay. */
export function* redactLines(
  path: string,
  clean: Clean,
  onLine?: (number: number) => void, // called before it is redacted
  { from = 0, to }: LineRange = {},
): Generator<RedactedLine> {
  let lines: RedactedLine[] = [];
  const take = (line: Line) => {
    onLine?.(line.number);
    lines.push(redactLine(line, clean));
  };
  const splitter = new LineSplitter(take, { maxLineBytes: MAX_LINE_BYTES });
  for (const chunk of readChunks(path, from, to)) {
    splitter.push(chunk);
    yield* lines;
    lines = [];
  }
  splitter.end();
  yield* lines;
}

/**
 * Remembers the secrets of a session and its sub-agents, so that they are removed also where they stand before the place that
 * names them.
 */
export function learnSession(path: string, learn: Redactor["learn"]): void {
  const agents = listSideFiles(path).sideFolder.filter(({ kind }) => kind === "subagent");
  for (const file of [path, ...agents.map((agent) => agent.path)]) learnFile(file, learn);
}

function learnFile(path: string, learn: Redactor["learn"]): void {
  const take = (line: Line) => {
    for (const record of parseLine(line)) if (record.kind !== "broken") learn(record.raw);
  };
  const splitter = new LineSplitter(take, { maxLineBytes: MAX_LINE_BYTES });
  for (const chunk of readChunks(path)) splitter.push(chunk);
  splitter.end();
}

/** The text of any other file; undefined if it is binary, which cannot be redacted. */
export function redactTextFile(path: string, clean: Clean): string | undefined {
  const bytes = readFileSync(path);
  return isUtf8(bytes) ? clean(bytes.toString("utf8"), "side file") : undefined;
}

function redactLine(line: Line, clean: Clean): RedactedLine {
  const bytes = line.bytes.subarray(line.start, line.end);
  const parts: Buffer[] = [];
  let done = 0;
  for (const { record, start, end } of stretchesOf(line)) {
    parts.push(bytes.subarray(done, start), redactRecord(record, bytes.subarray(start, end), clean));
    done = end;
  }
  const ending = Buffer.from(line.isTerminated ? "\n" : "");
  const { number, isAbridged } = line;
  return { number, isAbridged, bytes: Buffer.concat([...parts, bytes.subarray(done), ending]) };
}

interface Stretch {
  readonly record: LogRecord;
  readonly start: number;
  readonly end: number;
}

/** Usually one record per line; damaged lines can hold several. */
function stretchesOf(line: Line): Stretch[] {
  const records = parseLine(line);
  return records.map((record) => {
    if (records.length === 1) return { record, start: 0, end: line.end - line.start };
    const start = record.offset - line.offset;
    return { record, start, end: start + record.length };
  });
}

/** The bytes of a record with only those strings written anew in which something was found. */
export function redactRecord(record: LogRecord, bytes: Buffer, clean: Clean): Buffer {
  if (record.kind === "broken") {
    const text = bytes.toString("utf8");
    const cleaned = clean(text, "broken line");
    return cleaned === text ? bytes : Buffer.from(cleaned);
  }
  const cleaned = cleanFields(record.raw, isKnownType(record.type) ? record.type : "other", clean);
  return rewriteStrings(bytes, record.raw, cleaned) ?? Buffer.from(toJsonText(cleaned) ?? "");
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
