import { type Finding, isEscapeLetter } from "../finders/finding.js";
import { isPrefixedKey, MAX_PREFIXED } from "../judge/is-prefixed-key.js";
import type { Search, Span } from "./text-view.js";

/**
 * Runs of base64 or hexadecimal digits that are text with a secret in it, also when they were encoded several times, and
 * keys of issuers that nobody has listed: the run is removed as a whole.
 */
export function findEncoded(text: string, search: Search, depth = MAX_DEPTH): Finding[] {
  const found: Finding[] = [];
  for (let run = nextRun(text, 0); run; run = nextRun(text, run.end)) {
    const decoded = decode(text, run);
    const [secret] = decoded === undefined ? [] : searchDecoded(decoded, search, depth);
    if (secret) found.push({ kind: secret.kind, start: run.start, end: run.end, certain: false });
    else found.push(...keyAt(text, run));
  }
  return found;
}

function keyAt(text: string, { start: first, end }: Span): Finding[] {
  const start = isEscapeLetter(text, first) ? first + 1 : first;
  const isKey =
    end - start <= MAX_PREFIXED && !/[/.\w]/.test(text.charAt(end)) && isPrefixedKey(text.slice(start, end));
  return isKey ? [{ kind: "api-key", start, end, certain: false }] : [];
}

const MAX_DEPTH = 3;

function searchDecoded(decoded: string, search: Search, depth: number): readonly Finding[] {
  const found = search(decoded);
  return found.length > 0 || depth === 1 ? found : findEncoded(decoded, search, depth - 1);
}

const MIN_RUN = 20;
const MAX_RUN = 262_144;

const IS_RUN = marked("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-");
const isRunAt = (text: string, at: number) => IS_RUN[text.charCodeAt(at)] === 1;

/** The next run of at least the minimum. It looks at few characters: where one is none, no run reaches over it. */
function nextRun(text: string, from: number): Span | undefined {
  let start = from;
  while (start + MIN_RUN <= text.length) {
    let at = start + MIN_RUN - 1;
    while (at >= start && isRunAt(text, at)) at--;
    if (at < start) return wholeRun(text, start);
    start = at + 1;
  }
  return undefined;
}

function wholeRun(text: string, start: number): Span {
  let end = start + MIN_RUN;
  while (end < text.length && isRunAt(text, end)) end++;
  for (let next = nextLine(text, start, end); next; next = nextLine(text, start, end)) end = next;
  while (end < text.length && text.charCodeAt(end) === 61 && end - start < MAX_RUN) end++;
  return { start, end };
}

const LINE_OF_RUN = /(?:\r?\n|\\+n)[ \t]{0,8}([A-Za-z0-9+/_-]{1,})(?==|\r?\n|\\+n|$|")/y;
const MIN_LINE = 56;

/** The end of the next line of base64 that was broken into lines of one length. */
function nextLine(text: string, start: number, end: number): number | undefined {
  if (end - start < MIN_LINE || end - start > MAX_RUN) return undefined;
  const code = text.charCodeAt(end);
  if (code !== 10 && code !== 13 && code !== 92) return undefined;
  LINE_OF_RUN.lastIndex = end;
  return LINE_OF_RUN.test(text) ? LINE_OF_RUN.lastIndex : undefined;
}

const HEX = /^(?:[0-9a-fA-F]{2})+$/;
const READABLE = /^[\t\n\r\x20-\x7e]*$/;

/** The text that a run encodes; undefined for what is no text, as almost every run. */
function decode(text: string, { start, end }: Span): string | undefined {
  if (text.startsWith("0x", start)) return decode(text, { start: start + 2, end });
  const isHex = startsAs(text, start, 2, HEX_OF_TEXT);
  const isWide = isWideText(text, start);
  if (!isHex && !isWide && !startsAs(text, start, 4, BASE64_OF_TEXT)) return undefined;
  const run = text.slice(start, Math.min(end, start + MAX_RUN));
  if (isHex && HEX.test(run) && isReadable(fromHex(run))) return fromHex(run);
  const bytes = fromBase64(run.replace(/\\+n|\s/g, ""));
  const decoded = isWide ? bytes?.replace(ZEROS, "") : bytes;
  return decoded !== undefined && isReadable(decoded) ? decoded : undefined;
}

// Which characters may begin the code of a readable character: of two hexadecimal digits, of four of base64.
const HEX_OF_TEXT = marked("0234567");
const BASE64_OF_TEXT = marked("CDIJKLMNOPQRSTUVWXYZabcdef");

function marked(characters: string): Uint8Array {
  const marks = new Uint8Array(128);
  for (const character of characters) marks[character.charCodeAt(0)] = 1;
  return marks;
}

function startsAs(text: string, start: number, step: number, marks: Uint8Array): boolean {
  for (let at = start; at < start + MIN_RUN; at += step) if (marks[text.charCodeAt(at)] !== 1) return false;
  return true;
}

/** Two bytes for each letter, one of them zero, as PowerShell encodes its commands: every other four characters are `A..A`. */
const isWideText = (text: string, start: number) =>
  [start, start + 4].some((at) => [at, at + 3, at + 8, at + 11].every((place) => text.charCodeAt(place) === A));

const A = 65;
const ZEROS = /^(?:\xff\xfe|\xfe\xff)|\0/g;

const isReadable = (text: string) =>
  READABLE.test(text.slice(0, 4096)) || READABLE.test(text.slice(0, 64).slice(0, -3));

function fromHex(run: string): string {
  let text = "";
  for (let at = 0; at + 1 < run.length; at += 2)
    text += String.fromCharCode(Number.parseInt(run.slice(at, at + 2), 16));
  return text;
}

function fromBase64(run: string): string | undefined {
  const plain = run.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
  const usable = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
  try {
    return atob(usable);
  } catch {
    return undefined; // no base64 after all
  }
}
