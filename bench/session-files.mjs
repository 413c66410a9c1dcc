import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

/** @typedef {(bytes: Buffer, start: number, end: number) => void} OnLine */

/** Larger chunks fall out of the processor's cache between reading and scanning: with 1 MB it takes twice as long. */
const CHUNK_BYTES = 1 << 18;
/** One for all files, because fresh memory for each costs as much as reading it. Grows with the longest line. */
let bytes = Buffer.allocUnsafe(CHUNK_BYTES);

/** Every session file below a folder, sub-agents included. @param {string} folder */
export function sessionFiles(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name))
    .sort();
}

/** @param {string} path @param {OnLine} onLine */
export function eachLine(path, onLine) {
  const file = openSync(path, "r");
  let kept = 0;
  for (;;) {
    if (kept === bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2);
    const filled = kept + readSync(file, bytes, kept, bytes.length - kept, null);
    if (filled === kept) break;
    const consumed = splitLines(kept, filled, onLine);
    bytes.copyWithin(0, consumed, filled);
    kept = filled - consumed;
  }
  if (kept > 0) onLine(bytes, 0, kept);
  closeSync(file);
}

/** @param {number} searched Up to here there is no line feed. @param {number} filled @param {OnLine} onLine */
function splitLines(searched, filled, onLine) {
  let start = 0;
  for (let end = bytes.indexOf(10, searched); end >= 0 && end < filled; end = bytes.indexOf(10, start)) {
    onLine(bytes, start, end);
    start = end + 1;
  }
  return start;
}
