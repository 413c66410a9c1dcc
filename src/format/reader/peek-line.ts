import { findPlainEnd, isStringAt, startsWithAt } from "./json-scanner.js";
import { isLogLine, type Line } from "./parse-line.js";

/** What the first bytes of a line show: a record of the main conversation with its parent, a line outside it, or not enough. */
export type Peeked = { readonly parentUuid: string | null } | "beside" | "unclear";

const PARENT_FIRST = Buffer.from('{"parentUuid":"');
const ROOT_FIRST = Buffer.from('{"parentUuid":null');
const MAIN_NEXT = Buffer.from(',"isSidechain":false');
const SIDE_NEXT = Buffer.from(',"isSidechain":true');
/** In JSON this is always a key: inside a string the quotes are escaped. */
const RECORD_START = Buffer.from('{"parentUuid":');
const LONGEST_ID = 128;
const NOT_ASCII = /[\x80-\xff]/;
const NONE: ReadonlySet<string> = new Set();

/** Looks at the first bytes of line after line. */
export type Peeker = (line: Line) => Peeked;

/** Since 2.0 Claude Code starts a record with its parent and whether it is of a sub-agent, and a side record with its type. */
export function createPeeker(): Peeker {
  const isGlued = createGlueTest();
  return (line) => {
    if (line.start === line.end) return "beside";
    return isGlued(line) ? "unclear" : peekRecord(line);
  };
}

/** After a line that was never finished, the next record is on the same line. Lines share their bytes, which are searched once. */
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
  if (startsWithAt(bytes, start, ROOT_FIRST)) {
    return startsWithAt(bytes, start + ROOT_FIRST.length, SIDE_NEXT) ? "beside" : { parentUuid: null };
  }
  if (!startsWithAt(bytes, start, PARENT_FIRST)) {
    return isLogLine(bytes.subarray(start, end), NONE) ? "beside" : "unclear";
  }
  const from = start + PARENT_FIRST.length;
  const parentUuid = readPlainId(bytes, from, end);
  if (parentUuid === undefined) return "unclear";
  const next = from + parentUuid.length + 1;
  if (startsWithAt(bytes, next, SIDE_NEXT)) return "beside";
  return startsWithAt(bytes, next, MAIN_NEXT) ? { parentUuid } : "unclear";
}

/** The id that starts at `from`, of the kind that Claude Code makes: short, ASCII, without escapes. */
function readPlainId(bytes: Buffer, from: number, end: number): string | undefined {
  const last = Math.min(end, from + LONGEST_ID);
  const to = findPlainEnd(bytes, from, last);
  if (to === last || !isStringAt(bytes, to)) return undefined;
  const id = bytes.toString("latin1", from, to);
  return NOT_ASCII.test(id) ? undefined : id;
}
