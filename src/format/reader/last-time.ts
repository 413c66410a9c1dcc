import { closeSync, openSync, readSync } from "node:fs";
import { readString, skipSpace } from "./json-scanner.js";

/** Nearly every file has a time in its last KB; the larger step is for files that end with a long line. */
const TAIL_SIZES = [8 * 1024, 1024 * 1024];

/** In JSON this is always a key: inside a string the quotes are escaped. */
const KEY = Buffer.from('"timestamp"');
const COLON = 0x3a;

/** The latest time that the end of a session file names, in ms since the epoch; undefined where it names none. */
export function peekLastTime(path: string, size: number): number | undefined {
  const file = openSync(path, "r");
  try {
    for (const step of TAIL_SIZES) {
      const tail = Buffer.allocUnsafe(Math.min(step, size));
      const read = readSync(file, tail, 0, tail.length, size - tail.length);
      const time = latestIn(tail.subarray(0, read));
      if (time !== undefined || step >= size) return time;
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

function latestIn(bytes: Buffer): number | undefined {
  let latest: number | undefined;
  for (let at = bytes.indexOf(KEY); at >= 0; at = bytes.indexOf(KEY, at + KEY.length)) {
    const colon = skipSpace(bytes, at + KEY.length, bytes.length);
    if (bytes[colon] !== COLON) continue;
    const text = readString(bytes, skipSpace(bytes, colon + 1, bytes.length), bytes.length);
    const time = Date.parse(text ?? "");
    if (!Number.isNaN(time) && time > (latest ?? Number.NEGATIVE_INFINITY)) latest = time;
  }
  return latest;
}
