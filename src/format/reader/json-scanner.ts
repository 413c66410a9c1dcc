/** JSON read from bytes without building it: positions go in and out, and only what is asked for is decoded. */

/** Instead of a position: the bytes are not JSON. What is skipped is not validated beyond its quotes and brackets. */
export const NOT_JSON = -1;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** So many digits are always exact. */
const SAFE_DIGITS = 15;

/** Reads the value at `at` into `target` and returns the position after it, or a negative one to give up. */
export type ReadValue<T> = (bytes: Buffer, at: number, end: number, target: T) => number;

/** A reader of objects: the named members go to their readers, all others are skipped. Not an object is not JSON. */
export function objectReader<T>(readers: Readonly<Record<string, ReadValue<T>>>): ReadValue<T> {
  const members = memberTable(readers);
  return (bytes, start, end, target) => {
    if (bytes[start] !== OPEN_OBJECT) return NOT_JSON;
    let at = skipSpace(bytes, start + 1, end);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      if (bytes[at] !== QUOTE) return NOT_JSON;
      const plainEnd = findPlainEnd(bytes, at + 1, end);
      const keyEnd = bytes[plainEnd] === QUOTE ? plainEnd + 1 : skipString(bytes, at, end);
      if (keyEnd < 0) return NOT_JSON;
      const read =
        plainEnd < keyEnd - 1 ? findEscaped(members, bytes, at, end) : findMember(members, bytes, at, keyEnd);
      at = skipSpace(bytes, keyEnd, end);
      if (bytes[at] !== COLON) return NOT_JSON;
      at = skipSpace(bytes, at + 1, end);
      at = read === undefined ? skipValue(bytes, at, end) : read(bytes, at, end, target);
      if (at < 0) return at;
      at = skipSpace(bytes, at, end);
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) return NOT_JSON;
      at = skipSpace(bytes, at + 1, end);
    }
  };
}

export function isObjectAt(bytes: Buffer, at: number): boolean {
  return bytes[at] === OPEN_OBJECT;
}

export function isStringAt(bytes: Buffer, at: number): boolean {
  return bytes[at] === QUOTE;
}

/** Is it this string? `quoted` is the text with its quotes, as it is usually written; escapes make no difference. */
export function isQuotedTextAt(bytes: Buffer, at: number, end: number, quoted: Buffer): boolean {
  if (bytes[at] !== QUOTE) return false;
  if (startsWith(bytes, at, quoted)) return true;
  const plainEnd = findPlainEnd(bytes, at + 1, end);
  return bytes[plainEnd] === BACKSLASH && readString(bytes, at, end) === quoted.toString("utf8", 1, quoted.length - 1);
}

export function isTrueAt(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x74 && bytes[at + 1] === 0x72 && bytes[at + 2] === 0x75 && bytes[at + 3] === 0x65;
}

export function skipSpace(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(bytes[at])) at++;
  return at;
}

export function skipValue(bytes: Buffer, at: number, end: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at, end);
  return first === OPEN_OBJECT || first === OPEN_ARRAY ? skipContainer(bytes, at, end) : skipScalar(bytes, at, end);
}

/** The position after an object, from the end of one of its values on. */
export function endOfMembers(bytes: Buffer, start: number, end: number): number {
  let at = skipSpace(bytes, start, end);
  while (bytes[at] === COMMA) {
    at = skipString(bytes, skipSpace(bytes, at + 1, end), end);
    if (at < 0) return NOT_JSON;
    at = skipSpace(bytes, at, end);
    if (bytes[at] !== COLON) return NOT_JSON;
    at = skipValue(bytes, skipSpace(bytes, at + 1, end), end);
    if (at < 0) return NOT_JSON;
    at = skipSpace(bytes, at, end);
  }
  return bytes[at] === CLOSE_OBJECT ? at + 1 : NOT_JSON;
}

/** The string that starts at `at`; null where there is none. */
export function readString(bytes: Buffer, at: number, end: number): string | null {
  const after = at >= 0 && bytes[at] === QUOTE ? skipString(bytes, at, end) : NOT_JSON;
  if (after < 0) return null;
  const text = bytes.toString("utf8", at + 1, after - 1);
  return text.includes("\\") ? decodeString(bytes, at, after) : text;
}

/** A reader of counters; one that is null or no number counts nothing. */
export function countReader<T>(keep: (target: T, count: number) => void): ReadValue<T> {
  return (bytes, start, end, target) => {
    let count = 0;
    let at = start;
    for (let digit = digitAt(bytes, at); digit >= 0; digit = digitAt(bytes, ++at)) count = count * 10 + digit;
    if (at === start || at - start > SAFE_DIGITS || !endsScalar(bytes[at])) {
      at = skipValue(bytes, start, end);
      count = decodeCount(bytes, start, at);
    }
    keep(target, count);
    return at;
  };
}

interface Member<T> {
  readonly name: string;
  readonly quoted: Buffer;
  readonly read: ReadValue<T>;
}

/** Members by a hash of their key; nearly every bucket is empty or has one. */
type MemberTable<T> = readonly (readonly Member<T>[])[];

const BUCKETS = 256;

function memberTable<T>(readers: Readonly<Record<string, ReadValue<T>>>): MemberTable<T> {
  const buckets: Member<T>[][] = Array.from({ length: BUCKETS }, () => []);
  for (const [name, read] of Object.entries(readers)) {
    const quoted = Buffer.from(`"${name}"`);
    buckets[hashKey(quoted, 0, quoted.length)]?.push({ name, quoted, read });
  }
  return buckets;
}

/** Of the quoted key in `[at, after)`: length, first and last byte tell nearly all keys apart. */
function hashKey(bytes: Buffer, at: number, after: number): number {
  return ((after - at) * 7 + (bytes[at + 1] ?? 0) + (bytes[after - 2] ?? 0) * 3) & (BUCKETS - 1);
}

function findMember<T>(table: MemberTable<T>, bytes: Buffer, at: number, after: number): ReadValue<T> | undefined {
  const bucket = table[hashKey(bytes, at, after)] ?? [];
  for (let index = 0; index < bucket.length; index++) {
    const member = bucket[index];
    if (member !== undefined && startsWith(bytes, at, member.quoted)) return member.read;
  }
  return undefined;
}

function findEscaped<T>(table: MemberTable<T>, bytes: Buffer, at: number, end: number): ReadValue<T> | undefined {
  const name = readString(bytes, at, end);
  return table.flat().find((member) => member.name === name)?.read;
}

/** Where a key ends, or its first escape. Keys are short: a loop is faster than the call of a native search. */
function findPlainEnd(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at++;
  return at;
}

function startsWith(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false;
  return true;
}

function skipString(bytes: Buffer, start: number, end: number): number {
  let at = bytes.indexOf(QUOTE, start + 1);
  while (at >= 0 && at < end && isEscaped(bytes, at)) at = bytes.indexOf(QUOTE, at + 1);
  return at >= 0 && at < end ? at + 1 : NOT_JSON;
}

/** After an odd number of backslashes; the opening quote ends the run at the latest. */
function isEscaped(bytes: Buffer, quote: number): boolean {
  let before = quote - 1;
  while (bytes[before] === BACKSLASH) before--;
  return (quote - before) % 2 === 0;
}

function skipContainer(bytes: Buffer, start: number, end: number): number {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const code = bytes[at];
    if (code === QUOTE) {
      at = skipString(bytes, at, end) - 1;
      if (at < 0) return NOT_JSON;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++;
    else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && --depth === 0) return at + 1;
  }
  return NOT_JSON;
}

function skipScalar(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && !endsScalar(bytes[at])) at++;
  return at === start ? NOT_JSON : at;
}

function endsScalar(code: number | undefined): boolean {
  return code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY || isSpace(code);
}

function isSpace(code: number | undefined): boolean {
  return code !== undefined && code <= SPACE && (code === SPACE || code === 0x0a || code === 0x0d || code === 0x09);
}

function digitAt(bytes: Buffer, at: number): number {
  const code = bytes[at] ?? 0;
  return code >= DIGIT_0 && code <= DIGIT_9 ? code - DIGIT_0 : -1;
}

function decodeString(bytes: Buffer, at: number, after: number): string | null {
  const text = decode(bytes, at, after);
  return typeof text === "string" ? text : null;
}

function decodeCount(bytes: Buffer, at: number, after: number): number {
  const count = decode(bytes, at, after);
  return typeof count === "number" && Number.isFinite(count) ? Math.max(0, count) : 0;
}

function decode(bytes: Buffer, at: number, after: number): unknown {
  try {
    return JSON.parse(bytes.toString("utf8", at, after));
  } catch {
    return undefined; // a bad escape or number: nothing is known of it
  }
}
