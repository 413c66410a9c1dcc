import type { Line } from "./line-splitter.js";
import { isLogLine } from "./parse-line.js";

/** What the first bytes of a line tell: a record of the conversation and its parent, something beside it, or not enough. */
export type Peeked = { readonly parentUuid: string | null } | "beside" | "unclear";

const PARENT_FIRST = Buffer.from('{"parentUuid":"');
const ROOT_FIRST = Buffer.from('{"parentUuid":null');
const MAIN_NEXT = Buffer.from(',"isSidechain":false');
const SIDE_NEXT = Buffer.from(',"isSidechain":true');
/** In JSON this is always a key: within a text the quotes are escaped. */
const RECORD_START = Buffer.from('{"parentUuid":');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LONGEST_ID = 128;
const NONE: ReadonlySet<string> = new Set();

/** Looks at the first bytes of line after line. */
export type Peeker = (line: Line) => Peeked;

/** Clients since 2.0 begin a record with its parent and whether it is of a sub-agent; what they write beside it begins with its type. */
export function createPeeker(): Peeker {
  const isGlued = createGlueTest();
  return (line) => {
    if (line.start === line.end) return "beside";
    return isGlued(line) ? "unclear" : peekRecord(line);
  };
}

/** Behind a line that was never finished, the next one may stand on the same line. Lines share their bytes, which are searched once. */
function createGlueTest(): (line: Line) => boolean {
  let searched: Buffer | undefined;
  let from = 0;
  let found = -1;
  return ({ bytes, start, end }) => {
    if (bytes !== searched || start < from || (found >= 0 && found <= start)) {
      searched = bytes;
      from = start;
      found = bytes.indexOf(RECORD_START, start + 1);
    }
    return found >= 0 && found < end;
  };
}

function peekRecord({ bytes, start, end }: Line): Peeked {
  if (isAt(bytes, start, ROOT_FIRST)) {
    return isAt(bytes, start + ROOT_FIRST.length, SIDE_NEXT) ? "beside" : { parentUuid: null };
  }
  if (!isAt(bytes, start, PARENT_FIRST)) {
    return isLogLine(bytes.subarray(start, end), NONE) ? "beside" : "unclear";
  }
  const from = start + PARENT_FIRST.length;
  const to = endOfId(bytes, from, end);
  if (to < 0) return "unclear";
  if (isAt(bytes, to + 1, SIDE_NEXT)) return "beside";
  return isAt(bytes, to + 1, MAIN_NEXT) ? { parentUuid: bytes.toString("latin1", from, to) } : "unclear";
}

/** Where the closing quote stands; negative where the id is none that clients make. */
function endOfId(bytes: Buffer, from: number, end: number): number {
  const last = Math.min(end, from + LONGEST_ID);
  for (let at = from; at < last; at++) {
    const code = bytes[at] ?? 0;
    if (code === QUOTE) return at;
    if (code === BACKSLASH || code >= 0x80) return -1;
  }
  return -1;
}

function isAt(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false;
  return true;
}
