import type { Stretch } from "./stretch.js";

/** A name as it stands in a text, up to the place where its value may follow. */
export interface AssignedName extends Stretch {
  /** `--password` on a command line. */
  readonly isFlag: boolean;
}

/** The whole name around a word in it, or nothing where that is no name but a long run of characters. */
export function readName(text: string, at: number): AssignedName | undefined {
  const end = endOfRun(text, at);
  const run = startOfRun(text, at);
  if (at - run > MAX_NAME || end - at > MAX_NAME) return undefined;
  const start = skipEscape(text, run, at);
  const dashes = /^-*/.exec(text.slice(start, at))?.[0].length ?? 0;
  const name = text.slice(start + dashes, end);
  const isFlag = dashes === 2 || (dashes === 1 && /[ \t]/.test(text.charAt(start - 1)));
  return { text: spokenName(text, name, start) ?? name, start: start + dashes, end, isFlag };
}

const MAX_NAME = 64;

const isNameCode = (code: number) =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45;

function startOfRun(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start <= MAX_NAME && isNameCode(text.charCodeAt(start - 1))) start--;
  return start;
}

function endOfRun(text: string, at: number): number {
  let end = at;
  while (end < text.length && end - at <= MAX_NAME && isNameCode(text.charCodeAt(end))) end++;
  return end;
}

/** In `\nAPI_KEY` the name begins after the `n`; likewise after `\u0022`, `%26` and a colour code. */
function skipEscape(text: string, start: number, at: number): number {
  const found = ESCAPES.get(text.charAt(start - 1))?.exec(text.slice(start, at));
  return start + (found?.[0].length ?? 0);
}

const ESCAPES = new Map([
  ["\\", /^(?:u[0-9a-fA-F]{4}|[nrt])/],
  ["%", /^[0-9A-F]{2}/],
  ["[", /^\d{1,3}m/],
  [";", /^\d{1,3}m/],
]);

/** "API key" and "secret access key" are names too; a lone "key" is not. */
function spokenName(text: string, name: string, start: number): string | undefined {
  if (!/^(?:key|token)$/i.test(name)) return undefined;
  const before = /(?:[A-Za-z]+ ){1,2}$/.exec(text.slice(Math.max(0, start - 32), start))?.[0];
  return before && `${before}${name}`;
}
