import { readString, skipSpace, skipValue } from "./json-scanner.js";

/** A member of an object by the place of its value. */
export interface Member {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

export interface SpanReplacement extends ByteSpan {
  readonly text: string;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;

/** The members of the first object in the bytes, repeated keys included; none where there is no object. */
export function listMembers(bytes: Buffer, from = 0, end = bytes.length): Member[] {
  return readMembers(bytes, from, end, undefined);
}

/** The first member of this name; what stands behind it is not looked at. */
export function findMember(bytes: Buffer, name: string, from = 0, end = bytes.length): Member | undefined {
  const last = readMembers(bytes, from, end, name).at(-1);
  return last?.key === name ? last : undefined;
}

/** Up to the first member of a name, or all. */
function readMembers(bytes: Buffer, from: number, end: number, name: string | undefined): Member[] {
  const members: Member[] = [];
  const open = bytes.indexOf(OPEN_OBJECT, from);
  let at = open < 0 ? end : skipSpace(bytes, open + 1, end);
  while (at < end && bytes[at] === QUOTE) {
    const keyEnd = skipValue(bytes, at, end);
    const key = keyEnd < 0 ? null : readString(bytes, at, keyEnd);
    const start = skipSpace(bytes, skipSpace(bytes, keyEnd, end) + 1, end);
    const after = key === null ? -1 : skipValue(bytes, start, end);
    if (key === null || after < 0) break;
    members.push({ key, start, end: after });
    if (key === name) break;
    at = skipSpace(bytes, after, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1, end);
  }
  return members;
}

/** Every string value at any depth, with the key before it; of a list, the key of the list. */
export function* listStrings(bytes: Buffer, { start, end }: ByteSpan, firstKey = ""): Generator<Member> {
  let key = firstKey;
  for (let at = bytes.indexOf(QUOTE, start); at >= 0 && at < end; ) {
    const after = skipValue(bytes, at, end);
    if (after < 0) return;
    if (bytes[skipSpace(bytes, after, end)] === COLON) key = readString(bytes, at, after) ?? "";
    else yield { key, start: at, end: after };
    at = bytes.indexOf(QUOTE, after);
  }
}

/** The bytes with some stretches written anew, given in their order. */
export function replaceSpans(bytes: Buffer, replacements: readonly SpanReplacement[]): Buffer {
  if (replacements.length === 0) return bytes;
  const parts: Buffer[] = [];
  let done = 0;
  for (const { start, end, text } of replacements) {
    parts.push(bytes.subarray(done, start), Buffer.from(text));
    done = end;
  }
  return Buffer.concat([...parts, bytes.subarray(done)]);
}
