import { judgeName } from "../../judge/judge-name.js";
import type { Stretch } from "../finding.js";

/** A name in a text, up to where its value may follow. */
export interface AssignedName extends Stretch {
  /** `--password` on a command line. */
  readonly isFlag: boolean;
}

/** The whole name around a place in it; undefined for a long run of characters. */
export function readName(text: string, at: number): AssignedName | undefined {
  const end = endOfRun(text, at);
  const run = startOfRun(text, at);
  if (at - run > MAX_NAME || end - at > MAX_NAME) return undefined;
  const start = skipEscape(text, run, at);
  const dashes = /^-*/.exec(text.slice(start, at))?.[0].length ?? 0;
  const name = text.slice(start + dashes, end);
  const isFlag = dashes === 2 || (dashes === 1 && /[ \t]/.test(text.charAt(start - 1)));
  return { text: longerName(text, name, start) ?? name, start: start + dashes, end, isFlag };
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

/** In `\nAPI_KEY` the name starts after the `n`; likewise after `\u0022`, `%26` and a color code. */
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

/** `String token`, `const key`: the words before are no part of the name. */
const DECLARATION =
  /^(?:[A-Za-z]+ )?(?:string|str|char|var|val|let|const|final|static|auto|dim|local|my|our|set|export|constexpr|nsstring|varchar|text|bytes?) $/i;

/** "API key", "secret access key" and `service.api.key` are names too; a lone "key" is not. */
function longerName(text: string, name: string, start: number): string | undefined {
  if (!/^(?:keys?|tokens?)$/i.test(name)) return undefined;
  const before = text.slice(Math.max(0, start - 32), start);
  const words = /(?<![:<&\w])(?:[A-Za-z]+ ){1,2}$/.exec(before)?.[0].replace(DECLARATION, "");
  if (words) return words + name;
  const dotted = /(?:[\w-]+(?:\.|:(?=\w*$))){1,4}$/.exec(before)?.[0];
  return dotted && judgeName(dotted + name) !== "hint" ? dotted + name : undefined; // event.key
}
