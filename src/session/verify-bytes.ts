import { isUtf8 } from "node:buffer";
import type { Line } from "../format/line-splitter.js";
import type { ProblemLog } from "./problem-log.js";

/** What is wrong with a line before anything in it is read. */
export function checkBytes(line: Line, log: ProblemLog): void {
  const bytes = line.bytes.subarray(line.start, line.end);
  if (line.isAbridged) log.add("oversized-line", line.number, line.length);
  if (line.offset === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) log.add("byte-order-mark", line.number);
  if (line.isTerminated && bytes.at(-1) === CR) log.addOnce("crlf", line.number);
  if (!isUtf8(bytes)) log.add("invalid-utf8", line.number);
  const nuls = countNuls(bytes);
  if (nuls > 0) log.add("nul-bytes", line.number, nuls);
  if (!line.isAbridged && hasLoneSurrogate(bytes)) log.add("lone-surrogate", line.number);
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const CR = 0x0d;

function countNuls(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) count += 1;
  return count;
}

/** In UTF-8 a half pair cannot stand; it hides in an escape. */
function hasLoneSurrogate(bytes: Buffer): boolean {
  if (!bytes.includes("\\ud") && !bytes.includes("\\uD")) return false;
  let pairFrom = -1; // where the other half of an open pair must stand
  for (const found of bytes.toString("latin1").matchAll(ESCAPE)) {
    const unit = Number.parseInt(found[1] ?? "0", 16);
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (isLow !== (pairFrom === found.index)) return true;
    if (pairFrom >= 0 && !isLow) return true;
    pairFrom = unit >= 0xd800 && unit < 0xdc00 ? found.index + found[0].length : -1;
  }
  return pairFrom >= 0;
}

/** Every escape, so that the second of two backslashes does not begin one. */
const ESCAPE = /\\(?:u([0-9a-f]{4})|.)/gi;
