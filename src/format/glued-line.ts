import { isObject, type JsonObject, stringAt, tryParseJson } from "./json.js";
import { isKnownType } from "./record-types.js";
import { trimFiller } from "./trim-filler.js";

/** A stretch of a line: a whole record, or (without `raw`) a fragment between records. */
export interface GluedPart {
  readonly start: number;
  readonly end: number;
  readonly raw: JsonObject | undefined;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Text inside a JSON string cannot look like the start of a record: its quotes are escaped. */
const RECORD_START = '{"';
/** A line is gone through about this many times at most, whatever it holds. */
const MAX_PASSES = 8;
const FREE_BYTES = 64 * 1024;

/**
 * Two writers, or a crash in the middle of a write, leave `{…}{…}` or `{"type":"us{"type":…}` on one line. Finds the
 * whole records in it; empty when there is none.
 */
export function recoverGlued(bytes: Buffer): GluedPart[] {
  const records = findRecords(bytes);
  const parts: GluedPart[] = [];
  let done = 0;
  for (const record of records) {
    parts.push(...fragment(bytes, done, record.start), record);
    done = record.end;
  }
  return records.length === 0 ? [] : [...parts, ...fragment(bytes, done, bytes.length)];
}

function findRecords(bytes: Buffer): GluedPart[] {
  const records: GluedPart[] = [];
  let budget = FREE_BYTES + MAX_PASSES * bytes.length;
  let from = 0;
  let inString = false;
  let at = bytes.indexOf(RECORD_START);
  while (at >= 0 && budget > 0) {
    inString = isStringOpen(bytes, from, at, inString);
    from = at;
    if (inString || !isNested(bytes, at)) {
      const record = recordAt(bytes, at);
      if (record) records.push(record);
      from = record?.end ?? at;
      inString = false;
      budget -= (record?.end ?? bytes.length) - at;
    }
    at = bytes.indexOf(RECORD_START, Math.max(from, at + 1));
  }
  return records;
}

/** Whether a string is open at `end`, going on from `start`. */
function isStringOpen(bytes: Buffer, start: number, end: number, isOpen: boolean): boolean {
  let inString = isOpen;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) inString = !inString;
    else if (inString && byte === BACKSLASH) at += 1;
  }
  return inString;
}

/** Where a value may stand, an object is part of something larger whose rest is missing: no record of its own. */
function isNested(bytes: Buffer, at: number): boolean {
  const before = bytes[trimFiller(bytes, 0, at).end - 1];
  return before === COLON || before === COMMA || before === OPEN_LIST;
}

function recordAt(bytes: Buffer, start: number): GluedPart | undefined {
  const end = objectEnd(bytes, start);
  const raw = end === undefined ? undefined : toRecordObject(bytes.toString("utf8", start, end));
  return end !== undefined && raw ? { start, end, raw } : undefined;
}

function objectEnd(bytes: Buffer, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** Content blocks and API messages have a `type` too; only records have one of the client's, or an identity of their own. */
function toRecordObject(text: string): JsonObject | undefined {
  const raw = tryParseJson(text);
  const type = stringAt(raw, "type");
  if (!isObject(raw) || type === undefined) return undefined;
  const isRecord = isKnownType(type) || stringAt(raw, "uuid") !== undefined || stringAt(raw, "sessionId") !== undefined;
  return isRecord ? raw : undefined;
}

function fragment(bytes: Buffer, from: number, to: number): GluedPart[] {
  const { start, end } = trimFiller(bytes, from, to);
  return start < end ? [{ start, end, raw: undefined }] : [];
}
