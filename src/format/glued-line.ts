import { isObject, type JsonObject, stringAt, tryParseJson } from "./json.js";
import { isKnownType } from "./record-types.js";

/** A stretch of a line: a whole record, or (without `raw`) a fragment between records. */
export interface GluedPart {
  readonly start: number;
  readonly end: number;
  readonly raw: JsonObject | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const MAX_TRIES = 200;

/**
 * Two writers, or a crash in the middle of a write, leave `{…}{…}` or `{"type":"us{"type":…}` on one line. Finds the
 * whole records in it; empty when there is none.
 */
export function recoverGlued(bytes: Buffer): GluedPart[] {
  const parts: GluedPart[] = [];
  let done = 0;
  let at = bytes.indexOf(OPEN);
  for (let tries = 0; at >= 0 && tries < MAX_TRIES; tries++) {
    const record = recordAt(bytes, at);
    if (record) {
      if (at > done) parts.push({ start: done, end: at, raw: undefined });
      parts.push(record);
      done = record.end;
    }
    at = bytes.indexOf(OPEN, record?.end ?? at + 1);
  }
  if (done === 0) return [];
  if (bytes.toString("utf8", done).trim() !== "") parts.push({ start: done, end: bytes.length, raw: undefined });
  return parts;
}

function recordAt(bytes: Buffer, start: number): GluedPart | undefined {
  const end = objectEnd(bytes, start);
  if (end === undefined) return undefined;
  const raw = tryParseJson(bytes.toString("utf8", start, end));
  return isObject(raw) && looksLikeRecord(raw) ? { start, end, raw } : undefined;
}

/** Content blocks and API messages have a `type` too; only records have one of the client's, or an identity of their own. */
function looksLikeRecord(raw: JsonObject): boolean {
  const type = stringAt(raw, "type");
  if (type === undefined) return false;
  return isKnownType(type) || stringAt(raw, "uuid") !== undefined || stringAt(raw, "sessionId") !== undefined;
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
