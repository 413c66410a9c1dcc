import {
  decodeString,
  decodeValue,
  endsScalar,
  findPlainEnd,
  NOT_JSON,
  skipSpace,
  skipString,
  skipValue,
  startsWithAt,
} from "./json-scanner.js";

/** A member of an object by the place of its value. */
export interface Member {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the value at `at` into `target` and returns the position after it, or a negative one to give up. The quoted key
 * is in `[keyAt, keyEnd)`.
 */
export type ReadValue<T> = (bytes: Buffer, at: number, end: number, target: T, keyAt: number, keyEnd: number) => number;

const COMMA = 0x2c;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const QUOTE = 0x22;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Integers of this many digits are always exact. */
const SAFE_DIGITS = 15;
/** Of the table that finds the reader of a key. */
const BUCKETS = 256;

/**
 * A reader of objects: members that are named go to their readers, the others to `readOther` or are skipped. It returns the
 * position after the object, or a negative one where there is none or a reader gave up.
 */
export function objectReader<T>(
  readers: Readonly<Record<string, ReadValue<T>>>,
  readOther?: ReadValue<T>,
): (bytes: Buffer, at: number, end: number, target: T) => number {
  const members = memberTable(readers);
  return (bytes, start, end, target) => {
    if (bytes[start] !== OPEN_OBJECT) return NOT_JSON;
    const at = skipSpace(bytes, start + 1, end);
    return bytes[at] === CLOSE_OBJECT ? at + 1 : readMembers(members, readOther, bytes, at, end, target);
  };
}

/** The position after an object, from the end of one of its values on. */
export function endOfMembers(bytes: Buffer, start: number, end: number): number {
  const at = skipSpace(bytes, start, end);
  if (bytes[at] === CLOSE_OBJECT) return at + 1;
  if (bytes[at] !== COMMA) return NOT_JSON;
  return readMembers(undefined, undefined, bytes, skipSpace(bytes, at + 1, end), end, undefined);
}

/** From the key at `start` to the end of its object. */
function readMembers<T>(
  members: MemberTable<T> | undefined,
  readOther: ReadValue<T> | undefined,
  bytes: Buffer,
  start: number,
  end: number,
  target: T,
): number {
  for (let at = start; ; ) {
    if (bytes[at] !== QUOTE) return NOT_JSON;
    const keyAt = at;
    const plainEnd = findPlainEnd(bytes, at + 1, end);
    const keyEnd = bytes[plainEnd] === QUOTE ? plainEnd + 1 : skipString(bytes, at, end);
    if (keyEnd < 0) return NOT_JSON;
    const isPlain = plainEnd === keyEnd - 1;
    const read = (members && findReader(members, bytes, at, keyEnd, isPlain)) ?? readOther;
    at = skipSpace(bytes, keyEnd, end);
    if (bytes[at] !== COLON) return NOT_JSON;
    at = skipSpace(bytes, at + 1, end);
    at = read === undefined ? skipValue(bytes, at, end) : read(bytes, at, end, target, keyAt, keyEnd);
    if (at < 0) return at;
    at = skipSpace(bytes, at, end);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    if (bytes[at] !== COMMA) return NOT_JSON;
    at = skipSpace(bytes, at + 1, end);
  }
}

/** A reader of counters; one that is null or no number counts nothing. */
export function countReader<T>(keep: (target: T, count: number) => void): ReadValue<T> {
  return (bytes, start, end, target) => {
    let count = 0;
    let at = start;
    for (let digit = digitAt(bytes, at); digit >= 0; digit = digitAt(bytes, ++at)) count = count * 10 + digit;
    if (at === start || at - start > SAFE_DIGITS || !endsScalar(bytes[at])) {
      at = skipValue(bytes, start, end);
      count = toCount(decodeValue(bytes, start, at));
    }
    keep(target, count);
    return at;
  };
}

/** The members of the first object in the bytes, repeated keys included, up to the first damage. */
export function listMembers(bytes: Buffer): Member[] {
  const members: Member[] = [];
  const open = bytes.indexOf(OPEN_OBJECT);
  if (open >= 0) collectMembers(bytes, open, bytes.length, members);
  return members;
}

const collectMembers = objectReader<Member[]>({}, (bytes, start, end, members, keyAt, keyEnd) => {
  const after = skipValue(bytes, start, end);
  const key = decodeString(bytes, keyAt, keyEnd);
  if (key === null || after < 0) return NOT_JSON;
  members.push({ key, start, end: after });
  return after;
});

/** Finds the first member of a name in the object at `start`; what follows it is not looked at. */
export function memberFinder(name: string): (bytes: Buffer, start: number, end: number) => Member | undefined {
  const seek = objectReader<{ found: Member | undefined }>({
    [name]: (bytes, start, end, target) => {
      const after = skipValue(bytes, start, end);
      if (after >= 0) target.found = { key: name, start, end: after };
      return NOT_JSON; // the rest need not be read
    },
  });
  return (bytes, start, end) => {
    const target = { found: undefined };
    seek(bytes, start, end, target);
    return target.found;
  };
}

/** Every string value at any depth of `value`, with the key before it; in a list, the key of the list. */
export function* listStrings(bytes: Buffer, value: Member): Generator<Member> {
  for (const text of listQuoted(bytes, value)) if (!text.isKey) yield text;
}

/** The same with the keys themselves. */
export function* listQuoted(bytes: Buffer, value: Member): Generator<Member & { readonly isKey: boolean }> {
  const { end } = value;
  let { key } = value;
  for (let at = bytes.indexOf(QUOTE, value.start); at >= 0 && at < end; ) {
    const after = skipString(bytes, at, end);
    if (after < 0) return;
    const isKey = bytes[skipSpace(bytes, after, end)] === COLON;
    if (isKey) key = decodeString(bytes, at, after) ?? "";
    yield { key, start: at, end: after, isKey };
    at = bytes.indexOf(QUOTE, after);
  }
}

interface NamedReader<T> {
  readonly name: string;
  readonly quoted: Buffer;
  readonly read: ReadValue<T>;
}

/** Readers by a hash of their key; nearly every bucket is empty or has one. */
type MemberTable<T> = readonly (readonly NamedReader<T>[])[];

function memberTable<T>(readers: Readonly<Record<string, ReadValue<T>>>): MemberTable<T> | undefined {
  const entries = Object.entries(readers);
  const buckets: NamedReader<T>[][] = Array.from({ length: BUCKETS }, () => []);
  for (const [name, read] of entries) {
    const quoted = Buffer.from(`"${name}"`);
    buckets[hashKey(quoted, 0, quoted.length)]?.push({ name, quoted, read });
  }
  return entries.length === 0 ? undefined : buckets;
}

/** Of the quoted key in `[at, after)`: length, first and last byte distinguish nearly all keys. */
function hashKey(bytes: Buffer, at: number, after: number): number {
  return ((after - at) * 7 + (bytes[at + 1] ?? 0) + (bytes[after - 2] ?? 0) * 3) & (BUCKETS - 1);
}

/** The reader of the quoted key in `[at, after)`; a key with escapes is compared as the text that it means. */
function findReader<T>(
  table: MemberTable<T>,
  bytes: Buffer,
  at: number,
  after: number,
  isPlain: boolean,
): ReadValue<T> | undefined {
  if (!isPlain) {
    const name = decodeString(bytes, at, after);
    return table.flat().find((member) => member.name === name)?.read;
  }
  const bucket = table[hashKey(bytes, at, after)] ?? [];
  for (let index = 0; index < bucket.length; index++) {
    const member = bucket[index];
    if (member !== undefined && startsWithAt(bytes, at, member.quoted)) return member.read;
  }
  return undefined;
}

function digitAt(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? 0;
  return byte >= DIGIT_0 && byte <= DIGIT_9 ? byte - DIGIT_0 : -1;
}

function toCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? Math.max(0, value) : 0;
}
