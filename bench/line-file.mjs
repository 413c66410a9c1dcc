import { closeSync, futimesSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** @typedef {ReturnType<typeof openLineFile>} LineFile */

const FLUSH_LENGTH = 4 << 20;

/** A file that is written in large pieces. @param {string} path */
export function openLineFile(path) {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w");
  let pending = "";
  const flush = () => {
    writeSync(file, pending);
    pending = "";
  };
  const piece = (/** @type {string} */ text) => {
    pending += text;
    if (pending.length > FLUSH_LENGTH) flush();
    return text.length;
  };
  const line = (/** @type {string} */ text) => piece(`${text}\n`);
  return {
    piece,
    line,
    record: (/** @type {object} */ record) => line(JSON.stringify(record)),
    /** The file looks as if it was written last at that time. @param {number} [lastTimeMs] */
    close: (lastTimeMs) => {
      flush();
      if (lastTimeMs !== undefined) futimesSync(file, lastTimeMs / 1000, lastTimeMs / 1000);
      closeSync(file);
    },
  };
}
