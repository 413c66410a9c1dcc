import type { TextMatcher } from "./search-request.js";

/** Replaces secrets in a text. */
export type Mask = (text: string) => string;

/** Characters around a match that are masked, so that no visible secret is cut in two and missed. */
const MASKED_AROUND = 16 * 1024;
/** Characters around a match that the snippet is taken from. */
const SHOWN_AROUND = 2048;

/** The best matching part of a text, masked. Words at the edges are cut off: the redactor does not recognize half a secret. */
export function hitSnippet(text: string, matcher: TextMatcher, mask?: Mask, matches = matcher.find(text)): Snippet {
  if (!mask) return makeSnippet(text, matches);
  const { start: at, end } = densestGroup(matches)[0] ?? { start: 0, end: 0 };
  const before = text.slice(Math.max(0, at - MASKED_AROUND), at);
  const after = text.slice(at, end + MASKED_AROUND);
  const isCutBefore = before.length < at;
  const isCutAfter = at + after.length < text.length;
  const start = isCutBefore ? `…${before.replace(/^\S*/, "")}` : before;
  const rest = isCutAfter ? `${after.replace(/\S*$/, "")}…` : after;
  return snippetAt(mask(start + rest), mask(start).length, matcher);
}

/** The match itself may have been masked. */
function snippetAt(text: string, place: number, matcher: TextMatcher): Snippet {
  const from = Math.max(0, place - SHOWN_AROUND);
  const near = matcher.find(text.slice(from, place + SHOWN_AROUND));
  const nowhere = { start: Math.min(place, text.length), end: Math.min(place, text.length) };
  return makeSnippet(
    text,
    near.length === 0
      ? [nowhere]
      : near.map((match) => ({ ...match, start: match.start + from, end: match.end + from })),
  );
}

const PROMPT_COLUMNS = 100;

/** The start of a prompt, on one line. */
export function promptLine(prompt: string, mask: Mask = (text) => text): string {
  return makeSnippet(mask(prompt.slice(0, MASKED_AROUND)), [], { columns: PROMPT_COLUMNS }).text;
}

/** Part of a text on one line, and the places of the matches in it. */
export interface Snippet {
  readonly text: string;
  readonly marks: readonly Mark[];
}

type Mark = readonly [start: number, end: number];

interface Match {
  readonly start: number;
  readonly end: number;
  /** Groups with more distinct terms are preferred. */
  readonly term?: number;
}

const COLUMNS = 160;

/** About `columns` columns around the place with most terms; the start of the text where nothing matches. */
export function makeSnippet(text: string, matches: readonly Match[], { columns = COLUMNS } = {}): Snippet {
  const group = densestGroup(matches, columns);
  const margin = columns * MAX_COLLAPSE;
  const from = wholeCharacter(text, Math.max(0, (group[0]?.start ?? 0) - margin));
  const to = wholeCharacter(text, Math.min(text.length, (group.at(-1)?.end ?? 0) + margin));
  const line = collapse(text.slice(from, to), from);
  const [start, end] = chooseCut(line, group, columns);
  const before = from > 0 || start > 0 ? "…" : "";
  const after = to < text.length || end < line.text.length ? "…" : "";
  const marks = matches.map(
    (match): Mark => [Math.max(start, line.placeOf(match.start)), Math.min(end, line.placeOf(match.end))],
  );
  return {
    text: `${before}${line.text.slice(start, end)}${after}`,
    marks: joinOverlapping(
      marks.filter((mark) => mark[0] < mark[1]),
      before.length - start,
    ),
  };
}

/** Extra room around a match, as runs of white space collapse. */
const MAX_COLLAPSE = 4;

/** The matches within `columns` that cover most terms. */
function densestGroup(matches: readonly Match[], columns = COLUMNS): readonly Match[] {
  let best: readonly Match[] = [];
  let bestTerms = 0;
  for (const [at, { start }] of matches.entries()) {
    let next = at + 1;
    while ((matches[next]?.end ?? Number.POSITIVE_INFINITY) - start <= columns) next++;
    const group = matches.slice(at, next);
    const terms = new Set(group.map(({ term }) => term)).size;
    if (terms < bestTerms || (terms === bestTerms && group.length <= best.length)) continue;
    best = group;
    bestTerms = terms;
  }
  return best;
}

/** Never between the halves of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at + 1 : at;
}

interface Line {
  readonly text: string;
  /** Maps a place of the original text to this line. */
  placeOf(at: number): number;
}

function collapse(slice: string, offset: number): Line {
  const text = collapseSpaces(slice).trimEnd();
  let [read, length] = [0, 0]; // places are mostly asked for in their order: each character is looked at once
  const placeOf = (at: number): number => {
    const end = Math.min(at - offset, slice.length);
    if (end < read) [read, length] = [0, 0];
    while (read < end) {
      const isSpace = isSpaceAt(slice, read);
      if (!isSpace || (length > 0 && !isSpaceAt(slice, read - 1))) length += 1;
      read += 1;
    }
    return Math.min(text.length, length);
  };
  return { text, placeOf: (at) => (at < offset ? 0 : placeOf(at)) };
}

function isSpaceAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code <= SPACE
    ? code === SPACE || (code >= TAB && code <= CARRIAGE_RETURN)
    : code >= NO_BREAK_SPACE && /\s/.test(text.charAt(at));
}

const [TAB, CARRIAGE_RETURN, SPACE, NO_BREAK_SPACE] = [0x09, 0x0d, 0x20, 0xa0];

function collapseSpaces(text: string): string {
  return text.trimStart().replace(/\s+/g, " ");
}

function chooseCut({ text, placeOf }: Line, group: readonly Match[], columns: number): [start: number, end: number] {
  const first = placeOf(group[0]?.start ?? 0);
  const last = placeOf(group.at(-1)?.end ?? 0);
  const room = columns - columnsOf(text.slice(first, last));
  if (room <= 0) return [first, walk(text, first, columns, 1)];
  const before = columnsOf(text.slice(0, first));
  const after = columnsOf(text.slice(last));
  const left = Math.min(before, Math.max(Math.floor(room / 2), room - after));
  const start = walk(text, first, left, -1);
  const end = walk(text, last, Math.min(after, room - left), 1);
  return [startOfWord(text, start, first), endOfWord(text, end, last)];
}

/** The place at most `columns` columns before or after. */
function walk(text: string, from: number, columns: number, step: 1 | -1): number {
  let at = from;
  let left = columns;
  while (at + step >= 0 && at + step <= text.length) {
    left -= columnsOf(text.charAt(step === 1 ? at : at - 1));
    if (left < 0) break;
    at += step;
  }
  return wholeCharacter(text, at);
}

/** An estimate that counts wide CJK characters twice and each half of a surrogate pair once. */
function columnsOf(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0);
}

const WIDE = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFF60]/g;
const MAX_WORD = 24;

function startOfWord(text: string, start: number, limit: number): number {
  if (start === 0) return 0;
  const space = text.indexOf(" ", start - 1);
  return space < 0 || space >= limit || space - start > MAX_WORD ? start : space + 1;
}

function endOfWord(text: string, end: number, limit: number): number {
  if (end === text.length) return end;
  const space = text.lastIndexOf(" ", end);
  return space < limit || end - space > MAX_WORD ? end : space;
}

function joinOverlapping(marks: readonly Mark[], shift: number): Mark[] {
  const joined: [number, number][] = [];
  for (const [start, end] of marks) {
    const previous = joined.at(-1);
    if (previous && start + shift <= previous[1]) previous[1] = Math.max(previous[1], end + shift);
    else joined.push([start + shift, end + shift]);
  }
  return joined;
}
