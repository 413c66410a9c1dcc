import { neutralize } from "../safe-text.js";

/** Lines that say what went wrong, the clearest first. */
const SIGNS: readonly RegExp[] = [
  /^E\s+\S/, // pytest
  /^\s*(?:Uncaught )?(?:[\w.]*(?:Error|Exception)|AssertionError|panic(?:ked)?)\b.*[:(]/,
  /^\s*(?:error(?:\[\w+\])?|fatal|ERR!|npm error|FAILED?)[:\s!]\s*\S/i,
  /^\s*(?:✗|✘|×|not ok\b|--- FAIL)/,
  /\b(?:error|failed|failure|fatal|cannot|denied|not found|no such|refused|timed? ?out)\b/i,
];

/** `0 failed` and the like speak of what went well. */
const GOOD_NEWS = /\b(?:0|no) (?:errors?|failed|failures?|warnings?)\b/i;
const EXIT_CODE = /^\s*Exit code \d+\s*$/;
const SEARCHED_CHARACTERS = 100_000;

/** The line of a failed call's output that shows the failure; its first one where none does. */
export function failingLine(text: string): string {
  const lines = neutralize(text.slice(0, SEARCHED_CHARACTERS))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^[=\-_*#~\s]+$/.test(line));
  const said = lines.filter((line) => !EXIT_CODE.test(line));
  for (const sign of SIGNS) {
    const line = said.find((one) => sign.test(one) && !GOOD_NEWS.test(one));
    if (line !== undefined) return line;
  }
  return said.find((line) => !/^=+ .* =+$/.test(line)) ?? said[0] ?? lines[0] ?? "";
}
