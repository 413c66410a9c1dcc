import type { Query, Term } from "../text-index/parse-query.js";
import {
  foldText,
  identifierParts,
  type PlacedToken,
  splitIdentifier,
  tokenize,
  tokenizeWithPlaces,
} from "../text-index/tokenize.js";

/** Whether a text matches, without an index; the index finds the same. */
export function compileQuery({ kind, required, excluded }: Query): (text: string) => boolean {
  if (kind === "blank" || kind === "empty") return () => false;
  return (text) => {
    const words = tokenize(foldText(text));
    const parts = tokenize(foldText(identifierParts(text)));
    const isFound = (term: Term) => matches(term, words, parts);
    return required.every((terms) => terms.some(isFound)) && !excluded.some(isFound);
  };
}

function matches(term: Term, words: readonly string[], parts: readonly string[]): boolean {
  if (hasPhrase(words, term) || hasPhrase(parts, term)) return true;
  return term.parts !== null && hasPhrase(parts, { tokens: term.parts, isPrefix: term.isPrefix });
}

/** A place in the original text, and which of the query's terms stands there. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
  readonly term: number;
}

/** The first places of each term to find, in order; only as much of the text is read as that needs. */
export function findMatches({ required }: Query, text: string, maxPerTerm = 8): TextMatch[] {
  const terms = required.flat();
  const found: TextMatch[][] = terms.map(() => []);
  const open = new Set(terms.keys());
  const keep = (term: number, match: Place) => {
    if (found[term]?.push({ ...match, term }) === maxPerTerm) open.delete(term);
    return open.size > 0;
  };
  if (terms.length > 0) findInRuns(terms, open, text, keep);
  return found.flat().sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Takes a place; false when no more are wanted. */
type Keep = (term: number, match: Place) => boolean;

/** A term begins in a run of letters that has the characters of its first word, or some that are not ASCII and may be folded to them. */
function findInRuns(terms: readonly Term[], open: ReadonlySet<number>, text: string, keep: Keep): void {
  const longest = Math.max(...terms.map(({ tokens }) => tokens.length));
  for (const run of runsWith(firstWords(terms), text)) {
    for (const places of windowsFrom(text, run, longest)) {
      const words = places.map(({ token }) => token);
      const parts = places[0] ? partsOf(text, places[0]) : [];
      for (const term of open) {
        const length = terms[term]?.tokens.length;
        const match = matchAt(places, words.slice(0, length), terms[term]) ?? matchInside(parts, terms[term]);
        if (match && !keep(term, match)) return;
      }
    }
  }
}

function firstWords(terms: readonly Term[]): string[] {
  const words = terms.flatMap(({ tokens, parts }) => [tokens[0] ?? "", parts?.[0] ?? ""]);
  return words.filter((word) => /^[0-9a-z]+$/.test(word));
}

type Run = readonly [start: number, end: number];

/** Where words are, joined by nothing, that contain one of some others, whatever its case, or anything but ASCII. */
function* runsWith(inside: readonly string[], text: string): Generator<Run> {
  const pattern = new RegExp(["[\\u0080-\\uFFFF]", ...inside].join("|"), "gi");
  const runEnd = /[^0-9A-Za-z\u0080-\uFFFF]|$/g;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    let start = found.index;
    while (/[0-9A-Za-z\u0080-\uFFFF]/.test(text.charAt(start - 1))) start -= 1;
    runEnd.lastIndex = pattern.lastIndex;
    const end = runEnd.exec(text)?.index ?? text.length;
    yield [start, end];
    pattern.lastIndex = end;
  }
}

/** Each word of a run with as many of those after it as the longest phrase has. */
function* windowsFrom(text: string, [start, end]: Run, length: number): Generator<readonly PlacedToken[]> {
  const window: PlacedToken[] = [];
  const isWithin = () => (window[0]?.start ?? end) < end;
  for (const place of tokenizeWithPlaces(text, start)) {
    window.push(place);
    if (!isWithin()) return;
    if (window.length < length) continue;
    yield window;
    window.shift();
  }
  for (; isWithin(); window.shift()) yield window;
}

type Place = Pick<TextMatch, "start" | "end">;

function matchAt(
  places: readonly PlacedToken[],
  words: readonly string[],
  phrase: Phrase | undefined,
): Place | undefined {
  const last = words.length - 1;
  if (!phrase || !endsPhrase(words, last, phrase)) return undefined;
  return { start: places[last - phrase.tokens.length + 1]?.start ?? 0, end: places[last]?.end ?? 0 };
}

/** Each part of `camelCase` with its place; nothing where a word has no parts. */
function partsOf(text: string, { token, start, end }: PlacedToken): PlacedToken[] {
  const word = text.slice(start, end);
  const parts = word === token ? [word] : splitIdentifier(word);
  if (parts.length === 1) return [];
  let at = start;
  return parts.flatMap((part) => {
    const place = { start: at, end: at + part.length };
    at = place.end;
    return tokenize(foldText(part)).map((token) => ({ token, start: place.start, end: place.end }));
  });
}

function matchInside(parts: readonly PlacedToken[], term: Term | undefined): Place | undefined {
  if (!term || parts.length === 0) return undefined;
  const words = parts.map(({ token }) => token);
  const phrases = term.parts ? [term, { tokens: term.parts, isPrefix: term.isPrefix }] : [term];
  for (const [at] of parts.entries()) {
    const upTo = words.slice(0, at + 1);
    const match = phrases.map((phrase) => matchAt(parts, upTo, phrase)).find(Boolean);
    if (match) return match;
  }
  return undefined;
}

/** Words that follow each other; of the last one the beginning is enough for a prefix. */
interface Phrase {
  readonly tokens: readonly string[];
  readonly isPrefix: boolean;
}

function hasPhrase(words: readonly string[], phrase: Phrase): boolean {
  return words.some((_, at) => endsPhrase(words, at, phrase));
}

/** Whether the word at `last` is the last one of the phrase. */
function endsPhrase(words: readonly string[], last: number, { tokens, isPrefix }: Phrase): boolean {
  const first = last - tokens.length + 1;
  if (first < 0) return false;
  for (let at = last; at >= first; at--) {
    const [word, token] = [words[at], tokens[at - first]];
    const isSame = isPrefix && at === last ? word?.startsWith(token ?? "") : word === token;
    if (!isSame) return false;
  }
  return true;
}
