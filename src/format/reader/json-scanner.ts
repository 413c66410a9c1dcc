/**
 * The one place that knows how strings, escapes and nesting look in the bytes of JSON. Nothing is built: positions go in
 * and out, and only what is asked for is decoded. What is skipped is not validated beyond its quotes and brackets.
 *
 * `skipValue` and its relatives work on a text that is in memory as a whole. `JsonWalker` takes a text in pieces that may
 * end anywhere. `json-members.ts` reads the members of objects with them.
 */

/** Instead of a position: the bytes are not JSON, or end before the value does. */
export const NOT_JSON = -1;
/** Instead of a position: the bytes end inside a string, and the byte after them belongs to an escape. */
const NOT_JSON_IN_ESCAPE = -2;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export function isObjectAt(bytes: Buffer, at: number): boolean {
  return bytes[at] === OPEN_OBJECT;
}

export function isStringAt(bytes: Buffer, at: number): boolean {
  return bytes[at] === QUOTE;
}

export function isTrueAt(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x74 && bytes[at + 1] === 0x72 && bytes[at + 2] === 0x75 && bytes[at + 3] === 0x65;
}

/** Whether the bytes at `at` are `text`. */
export function startsWithAt(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false;
  return true;
}

/** Is it this string? `quoted` is the text with its quotes, as it is usually written; escapes make no difference. */
export function isQuotedTextAt(bytes: Buffer, at: number, end: number, quoted: Buffer): boolean {
  if (bytes[at] !== QUOTE) return false;
  if (startsWithAt(bytes, at, quoted)) return true;
  const plainEnd = findPlainEnd(bytes, at + 1, end);
  return bytes[plainEnd] === BACKSLASH && readString(bytes, at, end) === quoted.toString("utf8", 1, quoted.length - 1);
}

export function skipSpace(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(bytes[at])) at++;
  return at;
}

/** The position after the value that starts at `at`. */
export function skipValue(bytes: Buffer, at: number, end: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at, end);
  return first === OPEN_OBJECT || first === OPEN_LIST ? skipContainer(bytes, at, end) : skipScalar(bytes, at, end);
}

/** The position after the string whose opening quote is at `start`. */
export function skipString(bytes: Buffer, start: number, end: number): number {
  const quote = findClosingQuote(bytes, start + 1, end);
  return quote < 0 ? NOT_JSON : quote + 1;
}

function skipContainer(bytes: Buffer, start: number, end: number): number {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = findClosingQuote(bytes, at + 1, end);
      if (at < 0) return NOT_JSON;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --depth === 0) return at + 1;
  }
  return NOT_JSON;
}

function skipScalar(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && !endsScalar(bytes[at])) at++;
  return at === start ? NOT_JSON : at;
}

/** Whether a number or literal ends before this byte. */
export function endsScalar(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || isSpace(byte);
}

function isSpace(byte: number | undefined): boolean {
  return byte !== undefined && byte <= SPACE && (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

/** The string that starts at `at`; null where there is none. */
export function readString(bytes: Buffer, at: number, end: number): string | null {
  const after = at >= 0 && bytes[at] === QUOTE ? skipString(bytes, at, end) : NOT_JSON;
  return after < 0 ? null : decodeString(bytes, at, after);
}

/** The string in `[at, after)`, quotes included; null where an escape in it is malformed. */
export function decodeString(bytes: Buffer, at: number, after: number): string | null {
  const text = bytes.toString("utf8", at + 1, after - 1);
  if (!text.includes("\\")) return text;
  const decoded = decodeValue(bytes, at, after);
  return typeof decoded === "string" ? decoded : null;
}

/** The value in `[at, after)`; undefined where an escape or a number in it is malformed. */
export function decodeValue(bytes: Buffer, at: number, after: number): unknown {
  try {
    return JSON.parse(bytes.toString("utf8", at, after));
  } catch {
    return undefined;
  }
}

/** Where the text of a string ends, or its first escape. For keys and ids: they are short. */
export function findPlainEnd(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at++;
  return at;
}

/** Ids, names and times are shorter: a call to `indexOf` costs more than to walk through them. */
const SHORT_STRING = 48;

/** The place of the closing quote, from a place inside the string that is not inside an escape. */
function findClosingQuote(bytes: Buffer, from: number, end: number): number {
  const shortEnd = Math.min(from + SHORT_STRING, end);
  for (let at = from; at < shortEnd; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) break;
  }
  let at = from;
  for (let quote = bytes.indexOf(QUOTE, at); quote >= 0 && quote < end; quote = bytes.indexOf(QUOTE, at)) {
    if (bytes[quote - 1] !== BACKSLASH || !isEscapedAt(bytes, at, quote)) return quote;
    at = quote + 1;
  }
  return isEscapedAt(bytes, at, end) ? NOT_JSON_IN_ESCAPE : NOT_JSON;
}

/** Whether the byte at `at` belongs to an escape: it follows an odd number of backslashes, counted from `start`. */
function isEscapedAt(bytes: Buffer, start: number, at: number): boolean {
  let first = at;
  while (first > start && bytes[first - 1] === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

/** Whether a string is open at `end`, given whether one is open at `start`. */
export function isStringOpenAt(bytes: Buffer, start: number, end: number, isOpenAtStart: boolean): boolean {
  let at = start;
  for (let isOpen = isOpenAtStart; ; isOpen = !isOpen) {
    const quote = isOpen ? findClosingQuote(bytes, at, end) : bytes.indexOf(QUOTE, at);
    if (quote < 0 || quote >= end) return isOpen;
    at = quote + 1;
  }
}

/**
 * Walks through a JSON text once and reports what it finds. Pieces may end anywhere, also inside an escape or a UTF-8
 * character. Damaged text is reported as it is: brackets need not match.
 */
export abstract class JsonWalker {
  #depth = 0;
  #isInString = false;
  #isEscaped = false; // the next byte belongs to an escape

  /** How many lists and objects are open. */
  protected get depth(): number {
    return this.#depth;
  }

  protected get isInString(): boolean {
    return this.#isInString;
  }

  push(bytes: Buffer, start: number, end: number): void {
    let at = start;
    while (at < end) at = this.#isInString ? this.#passString(bytes, at, end) : this.#passStructure(bytes, at, end);
  }

  /** The opening quote of a string. */
  protected openString(): void {}
  /** The bytes of a string between its quotes, or the part of them that is in this piece. */
  protected abstract passText(bytes: Buffer, start: number, end: number): void;
  protected closeString(): void {}
  /** `depth` counts this list or object already. */
  protected open(_byte: number): void {}
  /** `depth` still counts this list or object. */
  protected close(_byte: number): void {}
  /** A comma, a colon, a space or a byte of a number or literal. */
  protected abstract passByte(byte: number): void;

  #passString(bytes: Buffer, start: number, end: number): number {
    const quote = findClosingQuote(bytes, this.#isEscaped ? start + 1 : start, end);
    this.#isEscaped = quote === NOT_JSON_IN_ESCAPE;
    this.passText(bytes, start, quote < 0 ? end : quote);
    if (quote < 0) return end;
    this.#isInString = false;
    this.closeString();
    return quote + 1;
  }

  #passStructure(bytes: Buffer, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.#isInString = true;
        this.openString();
        return at + 1;
      }
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        this.#depth += 1;
        this.open(byte);
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        this.close(byte);
        this.#depth -= 1;
      } else this.passByte(byte);
    }
    return end;
  }
}
