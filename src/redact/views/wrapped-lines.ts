import type { Finding } from "../finders/finding.js";
import { isRandom } from "../judge/is-random.js";
import { type Cut, crossesCut, type Search, searchView } from "./text-view.js";

/** Secrets that a terminal or a mail program broke at the end of a line. `known` is what was found without joining lines. */
export function findWrapped(text: string, known: readonly Finding[], search: Search): Finding[] {
  if (text.length < MIN_WIDTH) return [];
  return LINE_ENDS.flatMap((lineEnd) => (text.includes(lineEnd) ? findBroken(text, lineEnd, known, search) : []));
}

const LINE_ENDS = ["\n", "\\n"];
const MIN_WIDTH = 50; // shorter lines were not broken for their length
const MAX_LINES = 40;

function findBroken(text: string, lineEnd: string, known: readonly Finding[], search: Search): Finding[] {
  const found: Finding[] = [];
  let lineStart = 0;
  for (let at = text.indexOf(lineEnd); at >= 0; ) {
    const cut = at - lineStart >= MIN_WIDTH ? joint(text, at, lineEnd, known) : undefined;
    const cuts = cut ? [cut, ...nextJoints(text, cut, lineEnd, known)] : [];
    const last = cuts.at(-1);
    if (last) found.push(...searchJoined(text, Math.max(lineStart, at - MAX_BEFORE), cuts, search));
    lineStart = last?.end ?? at + lineEnd.length;
    at = text.indexOf(lineEnd, lineStart);
  }
  return found;
}

const MAX_BEFORE = 300;
const MAX_AFTER = 300;
const REST = /[\w+/=.~%-]*/y;
const MIN_LEFT = 8;
const MAX_LEFT = 128;
const RIGHT =
  /((?:[ \t]*\d{1,6}(?:→|\t|: ?|\| ?)|[+>|] ?|[│┃║] {1,4}|[ \t]{1,12})?)([\w+/=.~%-]{4,128})(?=[\s"'`,;)\]}<|]|\\|\.?$|\.\s)/y;
/** `NAME=value`, `NAME=`, a word, a name of several words. */
const NAMED =
  /[A-Za-z]\w*=[^=]|^[A-Z]+(?:_[A-Z\d]+)+=$|^(?:[A-Z]+|[A-Z]?[a-z]+)(?:[-_./](?:[A-Z]+|[A-Z]?[a-z]+))*\d{0,2}$/;
const MORE_WORDS = /[ \t]+[^\s]/y;

/** The next line of a file rather than the rest of a secret. */
function isOwnLine(text: string, right: string, end: number): boolean {
  MORE_WORDS.lastIndex = end;
  return NAMED.test(right) || (MORE_WORDS.test(text) && !isRandom(right, true));
}

const isTokenCode = (code: number) =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  "+/=_-.%~".includes(String.fromCharCode(code));

function tokenBefore(text: string, end: number): string | undefined {
  let start = end;
  while (start > 0 && end - start < MAX_LEFT && isTokenCode(text.charCodeAt(start - 1))) start--;
  return end - start < MIN_LEFT ? undefined : text.slice(start, end);
}

const BOX_END = /[ \t]?[│┃║][ \t]*$/;

/** Where a line ends without the line end of Windows and the right side of a box. */
function endOfContent(text: string, at: number): number {
  const end = text.charCodeAt(at - 1) === 13 ? at - 1 : at;
  return end - (BOX_END.exec(text.slice(Math.max(0, end - 4), end))?.[0].length ?? 0);
}

/** The line end between two halves of what may be one secret. */
function joint(text: string, at: number, lineEnd: string, known: readonly Finding[]): Cut | undefined {
  const end = endOfContent(text, at);
  if (!isTokenCode(text.charCodeAt(end - 1))) return undefined;
  RIGHT.lastIndex = at + lineEnd.length;
  const right = RIGHT.exec(text);
  const left = right && tokenBefore(text, end);
  if (!left || isOwnLine(text, right[2] ?? "", RIGHT.lastIndex)) return undefined;
  if (!/\d/.test(left + right[2]) || !isRandom(left.slice(-40) + right[2], true)) return undefined;
  const next = RIGHT.lastIndex - (right[2]?.length ?? 0);
  return known.some(({ start }) => start === next) ? undefined : { start: end, end: next, text: "" };
}

/** Further lines that are nothing but a part of the same secret. */
function nextJoints(text: string, first: Cut, lineEnd: string, known: readonly Finding[]): Cut[] {
  const cuts: Cut[] = [];
  for (let from = first.end; cuts.length < MAX_LINES; ) {
    REST.lastIndex = from;
    REST.test(text);
    const end = REST.lastIndex;
    const cut =
      text.startsWith(lineEnd, end) && end - from >= MIN_WIDTH - 10 ? joint(text, end, lineEnd, known) : undefined;
    if (!cut) return cuts;
    cuts.push(cut);
    from = cut.end;
  }
  return cuts;
}

function searchJoined(text: string, start: number, cuts: readonly Cut[], search: Search): Finding[] {
  const last = cuts.at(-1)?.end ?? start;
  const region = { start, end: Math.min(text.length, last + MAX_AFTER) };
  return searchView(text, region, cuts, search).filter((finding) => crossesCut(finding, cuts));
}
