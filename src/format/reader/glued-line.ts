import { isObject, type JsonObject, stringAt, tryParseJson } from "../json.js";
import { isKnownType } from "../record/record.js";
import { isObjectAt, isStringOpenAt, NOT_JSON, skipValue } from "./json-scanner.js";

/** A part of a line: a whole record, or (without `raw`) a fragment between records. */
export interface GluedPart {
  readonly start: number;
  readonly end: number;
  readonly raw: JsonObject | undefined;
}

interface GluedObject extends GluedPart {
  readonly raw: JsonObject;
}

const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;

/** Text inside a JSON string cannot look like the start of a record: its quotes are escaped. */
const RECORD_START = '{"';
/** At most about this many passes over a line, whatever it holds. */
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

function findRecords(bytes: Buffer): GluedObject[] {
  const records = leadingObjects(bytes);
  let budget = FREE_BYTES + MAX_PASSES * bytes.length;
  let from = records.at(-1)?.end ?? 0;
  let inString = false;
  let at = bytes.indexOf(RECORD_START, from);
  while (at >= 0 && budget > 0) {
    inString = isStringOpenAt(bytes, from, at, inString);
    from = at;
    if (inString || !isNested(bytes, at)) {
      const object = typedObjectAt(bytes, at);
      const record = object && isRecord(object.raw) ? object : undefined;
      if (record) records.push(record);
      from = record?.end ?? at;
      inString = false;
      budget -= (record?.end ?? bytes.length) - at;
    }
    at = bytes.indexOf(RECORD_START, Math.max(from, at + 1));
  }
  return records;
}

/** Before the first fragment no object can be part of something larger: every one with a type is a record. */
function leadingObjects(bytes: Buffer): GluedObject[] {
  const objects: GluedObject[] = [];
  let start = 0;
  for (let object = typedObjectAt(bytes, start); object; object = typedObjectAt(bytes, start)) {
    objects.push(object);
    start = trimFiller(bytes, object.end, bytes.length).start;
  }
  return objects;
}

/** An object where a value is expected is part of something larger whose rest is missing, not a record. */
function isNested(bytes: Buffer, at: number): boolean {
  const before = bytes[trimFiller(bytes, 0, at).end - 1];
  return before === COLON || before === COMMA || before === OPEN_LIST;
}

/** A whole object with a `type`. */
function typedObjectAt(bytes: Buffer, start: number): GluedObject | undefined {
  const end = isObjectAt(bytes, start) ? skipValue(bytes, start, bytes.length) : NOT_JSON;
  const raw = end < 0 ? undefined : tryParseJson(bytes.toString("utf8", start, end));
  return isObject(raw) && stringAt(raw, "type") !== undefined ? { start, end, raw } : undefined;
}

/** Content blocks and API messages have a `type` too; only records have a type that Claude Code writes, or an identity of their own. */
function isRecord(raw: JsonObject): boolean {
  const isKnown = isKnownType(stringAt(raw, "type") ?? "");
  return isKnown || stringAt(raw, "uuid") !== undefined || stringAt(raw, "sessionId") !== undefined;
}

function fragment(bytes: Buffer, from: number, to: number): GluedPart[] {
  const { start, end } = trimFiller(bytes, from, to);
  return start < end ? [{ start, end, raw: undefined }] : [];
}

const NUL = 0x00;
const TAB = 0x09;
const CR = 0x0d;
const SPACE = 0x20;

/** Skips what editors and crashes leave around a record: CR, blanks, runs of NUL. */
export function trimFiller(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } {
  let from = start;
  let to = end;
  while (from < to && isFiller(bytes[from])) from += 1;
  while (to > from && isFiller(bytes[to - 1])) to -= 1;
  return { start: from, end: to };
}

function isFiller(byte: number | undefined): boolean {
  return byte === SPACE || byte === CR || byte === TAB || byte === NUL;
}
