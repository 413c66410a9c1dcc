import { SIDE_TYPES } from "./record-types.js";
import { endOfMembers, isObjectAt, objectReader, type ReadValue, skipValue } from "./scan-json.js";

const TYPE_FIRST = Buffer.from('{"type":"');
const QUOTE = 0x22;
const LONGEST_TYPE = 32;
/** Between two records on one line; in JSON it stands only where a text ends in "}{". */
const GLUE = '}{"';
/** In JSON this is always a key: within a text the quotes are escaped. */
const RESULT_KEY = Buffer.from(',"toolUseResult":');
/** Less is decoded faster than left out. */
const SPARED_FROM_BYTES = 1024;

/** Whether a line only serves the client's own screen or log, as far as its first bytes tell. Most of a file's lines may. */
export function isLogLine(bytes: Buffer, telling: ReadonlySet<string>): boolean {
  if (bytes.length < TYPE_FIRST.length || TYPE_FIRST.compare(bytes, 0, TYPE_FIRST.length) !== 0) return false;
  const end = bytes.indexOf(QUOTE, TYPE_FIRST.length);
  if (end < 0 || end > TYPE_FIRST.length + LONGEST_TYPE) return false;
  const type = bytes.toString("latin1", TYPE_FIRST.length, end);
  return SIDE_TYPES.has(type) && !telling.has(type) && !bytes.includes(GLUE);
}

/**
 * The text of a line as far as the model and the skeleton need it: what the client keeps for people in `toolUseResult` is
 * often most of a line. Undefined where it is short, or not a field of the record itself.
 */
export function spareResultData(bytes: Buffer): string | undefined {
  const key = bytes.indexOf(RESULT_KEY);
  if (key < 0) return undefined;
  const start = key + RESULT_KEY.length;
  if (bytes.length - start < SPARED_FROM_BYTES || !isObjectAt(bytes, start)) return undefined;
  const kept: string[] = [];
  const end = readTelling(bytes, start, bytes.length, kept);
  if (end < 0 || endOfMembers(bytes, end, bytes.length) !== bytes.length) return undefined;
  return `${bytes.toString("utf8", 0, start)}{${kept.join(",")}}${bytes.toString("utf8", end)}`;
}

const readTelling = objectReader<string[]>({
  agentId: keepAs("agentId"),
  backgroundTaskId: keepAs("backgroundTaskId"),
  interrupted: keepAs("interrupted"),
});

function keepAs(name: string): ReadValue<string[]> {
  return (bytes, at, end, kept) => {
    const after = skipValue(bytes, at, end);
    if (after > at) kept.push(`"${name}":${bytes.toString("utf8", at, after)}`);
    return after;
  };
}
