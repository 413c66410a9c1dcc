import { statSync } from "node:fs";
import { eachLine, sessionFiles } from "./session-files.mjs";

const SAMPLED_FILES = 40;
const LARGEST_BYTES = 500_000;

/** Words and phrases that do occur in a generated library, some rare and some common, taken from a few of its sessions. @param {string} library */
export function vocabularyOf(library) {
  const files = sessionFiles(library).filter((path) => statSync(path).size < LARGEST_BYTES);
  const step = Math.max(1, Math.floor(files.length / SAMPLED_FILES));
  const text = files
    .filter((_, at) => at % step === 0)
    .map(textOf)
    .join(" ");
  return {
    words: distinct(text.match(/\b[a-z]{4,12}\b/g)),
    phrases: distinct(text.match(/\b[a-z]{2,9} [a-z]{2,9} [a-z]{2,9}\b/g)),
    camelParts: distinct(text.match(/(?<=[a-z])[A-Z][a-z]{3,}(?=[A-Z(]|\b)/g)),
  };
}

/** @param {string} path */
function textOf(path) {
  let text = "";
  eachLine(path, (bytes, start, end) => {
    text += bytes.toString("utf8", start, end);
  });
  return text.replaceAll(/\\[a-z]/g, " "); // a word after an escaped line feed does not begin with n
}

/** @param {readonly string[] | null} words */
function distinct(words) {
  return [...new Set(words)].sort();
}
