import { hash } from "node:crypto";
import { Abridger } from "./abridger.js";
import { recoverGlued } from "./glued-line.js";
import { isObject, tryParseJson } from "./json.js";
import type { Line } from "./line-splitter.js";
import type { BrokenRecord, LogRecord } from "./record.js";
import { type Origin, toRecord } from "./to-record.js";

export interface ParseOptions {
  /** Decode only what the skeleton needs: long strings are cut, deep values emptied. */
  readonly abridge?: boolean;
}

/** Shorter lines are parsed whole: looking for what to leave out would cost more. */
const ABRIDGED_FROM_BYTES = 4096;
const SHOWN_BROKEN_BYTES = 1024;

/** No record for a blank line, several for glued ones, else one. Never throws: what cannot be read is data too. */
export function parseLine(line: Line, options: ParseOptions = {}): LogRecord[] {
  const { start, end } = trimLine(line);
  if (start >= end) return [];
  const bytes = line.bytes.subarray(start, end);
  const isShort = bytes.length < ABRIDGED_FROM_BYTES;
  const record = options.abridge && !isShort ? parseAbridged(line, bytes) : parseWhole(line, bytes);
  return record ? [record] : recover(line, bytes);
}

const CR = 0x0d;
const NUL = 0x00;
const SPACE = 0x20;
const TAB = 0x09;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Sets aside what editors and crashes leave around a line: BOM, CR, blanks, runs of NUL. */
function trimLine({ bytes, start, end, offset }: Line): { start: number; end: number } {
  let from = start;
  let to = end;
  if (offset === 0 && BYTE_ORDER_MARK.every((byte, index) => bytes[start + index] === byte)) from += 3;
  while (from < to && isFiller(bytes[from])) from += 1;
  while (to > from && isFiller(bytes[to - 1])) to -= 1;
  return { start: from, end: to };
}

function isFiller(byte: number | undefined): boolean {
  return byte === SPACE || byte === CR || byte === TAB || byte === NUL;
}

function parseWhole(line: Line, bytes: Buffer): LogRecord | undefined {
  const raw = tryParseJson(bytes.toString("utf8"));
  return isObject(raw) ? toRecord(raw, toOrigin(line, bytes, line.isAbridged)) : undefined;
}

function parseAbridged(line: Line, bytes: Buffer): LogRecord | undefined {
  const abridger = new Abridger();
  abridger.push(bytes, 0, bytes.length);
  if (!abridger.wasCut) return parseWhole(line, bytes);
  const raw = tryParseJson(abridger.finish().toString("utf8"));
  if (!isObject(raw)) return undefined;
  const record = toRecord(raw, toOrigin(line, bytes, true));
  return isWholeTextNeeded(record) ? parseWhole(line, bytes) : record;
}

/** What people wrote decides what a record means, and a tag at its end may matter: it is never judged by its beginning. */
function isWholeTextNeeded(record: LogRecord): boolean {
  if (record.kind === "side") return record.type === "queue-operation";
  if (record.kind === "attachment") return record.attachmentType === "queued_command";
  if (record.kind !== "user" || record.isMeta || record.isCompactSummary) return false;
  const results = record.blocks.filter((block) => block.kind === "toolResult");
  return results.length === 0 || results.some(({ isError }) => isError);
}

function toOrigin(line: Line, bytes: Buffer, isAbridged: boolean): Origin {
  const place = { line: line.number, offset: line.offset, length: line.length };
  return { place, isAbridged, fingerprint: () => fingerprint(bytes) };
}

function fingerprint(bytes: Buffer): string {
  return hash("sha1", bytes, "base64");
}

function recover(line: Line, bytes: Buffer): LogRecord[] {
  const glued = line.isAbridged ? [] : recoverGlued(bytes);
  if (glued.length === 0) return [toBroken(line, bytes, isObjectStart(bytes) ? "not valid JSON" : "not a JSON object")];
  const base = bytes.byteOffset - line.bytes.byteOffset - line.start + line.offset;
  return glued.map((part) => {
    const place = { line: line.number, offset: base + part.start, length: part.end - part.start };
    const partBytes = bytes.subarray(part.start, part.end);
    if (!part.raw) return { ...toBroken(line, partBytes, "a fragment before another record"), ...place };
    return toRecord(part.raw, { place, isAbridged: false, fingerprint: () => fingerprint(partBytes) });
  });
}

function isObjectStart(bytes: Buffer): boolean {
  return bytes[0] === 0x7b;
}

function toBroken(line: Line, bytes: Buffer, reason: string): BrokenRecord {
  return {
    kind: "broken",
    type: undefined,
    line: line.number,
    offset: line.offset,
    length: line.length,
    reason: line.isTerminated ? reason : "truncated last line",
    text: bytes.toString("utf8", 0, SHOWN_BROKEN_BYTES),
    isTruncatedTail: !line.isTerminated,
  };
}
