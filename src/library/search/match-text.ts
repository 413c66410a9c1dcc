import type { Query, Term } from "../text-index/parse-query.js";
import {
  foldText,
  IDENTIFIER_BREAK,
  identifierParts,
  type PlacedToken,
  splitIdentifier,
  splitRun,
  tokenize,
  tokenizeWithPlaces,
} from "../text-index/tokenize.js";

/** Whether a text matches; the same texts that the index finds. */
export function compileQuery({ kind, required, excluded }: Query): (text: string) => boolean {
  if (kind === "blank" || kind === "empty") return () => false;
  return (text) => {
    const folded = foldText(text);
    if (!mayMatch(required, folded.toLowerCase())) return false;
    const words = [...tokenize(folded), IDENTIFIER_BREAK, ...tokenize(foldText(identifierParts(text)))];
    const isFound = (term: Term) => phrasesOf(term).some((phrase) => hasPhrase(words, phrase));
    return required.every((terms) => terms.some(isFound)) && !excluded.some(isFound);
  };
}

/** Many times faster than splitting a text into words, and false for most texts. */
function mayMatch(required: Query["required"], lower: string): boolean {
  const isInside = (phrase: Phrase) => phrase.tokens.every((token) => lower.includes(token));
  return required.every((terms) => terms.some((term) => phrasesOf(term).some(isInside)));
}

function phrasesOf({ tokens, parts, isPrefix }: Term): Phrase[] {
  return parts === null
    ? [{ tokens, isPrefix }]
    : [
        { tokens, isPrefix },
        { tokens: parts, isPrefix },
      ];
}

/** A place in the original text, and the number of the query's term found there. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
  readonly term: number;
}

/** The first places of each required term, in order; reads only as much of the text as needed. */
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

/** Returns false when no more places are wanted. */
type Keep = (term: number, match: Place) => boolean;

/** A term can only start in a part of the text that contains its first word. */
function findInRuns(terms: readonly Term[], open: ReadonlySet<number>, text: string, keep: Keep): void {
  const longest = Math.max(...terms.flatMap(phrasesOf).map(({ tokens }) => tokens.length));
  for (const run of runsWith(firstWords(terms), text)) {
    for (const places of windowsFrom(text, run, longest)) {
      const words = places.map(({ token }) => token);
      const parts = places[0] ? partsOf(text, places[0]) : [];
      for (const term of open) {
        const phrases = terms[term] ? phrasesOf(terms[term]) : [];
        const match = matchStart(places, words, phrases) ?? matchInside(parts, phrases);
        if (match && !keep(term, match)) return;
      }
    }
  }
}

function firstWords(terms: readonly Term[]): string[] {
  return terms.flatMap(({ tokens, parts }) => [tokens[0] ?? "", ...(parts ? [parts[0] ?? ""] : [])]);
}

type Run = readonly [start: number, end: number];

/** Runs of word characters that contain one of the words in any case; of a run that is not ASCII those pieces that fold to one. */
function* runsWith(words: readonly string[], text: string): Generator<Run> {
  const plain = words.filter((word) => /^[0-9a-z]+$/.test(word));
  const pattern = new RegExp(["[\\u0080-\\uFFFF]", ...plain].join("|"), "gi");
  const runEnd = /[^0-9A-Za-z\u0080-\uFFFF]|$/g;
  const isWanted = (part: string) => {
    const folded = foldText(part).toLowerCase();
    return words.some((word) => folded.includes(word));
  };
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    let start = found.index;
    while (/[0-9A-Za-z\u0080-\uFFFF]/.test(text.charAt(start - 1))) start -= 1;
    runEnd.lastIndex = pattern.lastIndex;
    const end = runEnd.exec(text)?.index ?? text.length;
    if (isWanted(text.slice(start, end))) yield* piecesWith(isWanted, text, [start, end]);
    pattern.lastIndex = end;
  }
}

function* piecesWith(isWanted: (part: string) => boolean, text: string, [start, end]: Run): Generator<Run> {
  for (const [at, piece] of splitRun(text.slice(start, end))) {
    if (isWanted(piece)) yield [start + at, start + at + piece.length];
  }
}

/** For each word of a run, a window of `length` words starting there. */
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

/** A phrase that starts with the first of the words. */
function matchStart(
  places: readonly PlacedToken[],
  words: readonly string[],
  phrases: readonly Phrase[],
): Place | undefined {
  for (const phrase of phrases) {
    const match = matchAt(places, words.slice(0, phrase.tokens.length), phrase);
    if (match) return match;
  }
  return undefined;
}

function matchAt(
  places: readonly PlacedToken[],
  words: readonly string[],
  phrase: Phrase | undefined,
): Place | undefined {
  const last = words.length - 1;
  if (!phrase || !endsPhrase(words, last, phrase)) return undefined;
  return { start: places[last - phrase.tokens.length + 1]?.start ?? 0, end: places[last]?.end ?? 0 };
}

/** The parts of `camelCase` with their places; empty for a word without parts. */
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

function matchInside(parts: readonly PlacedToken[], phrases: readonly Phrase[]): Place | undefined {
  const words = parts.map(({ token }) => token);
  for (const [at] of parts.entries()) {
    const upTo = words.slice(0, at + 1);
    const match = phrases.map((phrase) => matchAt(parts, upTo, phrase)).find(Boolean);
    if (match) return match;
  }
  return undefined;
}

/** Consecutive words; for a prefix, the last one may be longer in the text. */
interface Phrase {
  readonly tokens: readonly string[];
  readonly isPrefix: boolean;
}

function hasPhrase(words: readonly string[], phrase: Phrase): boolean {
  return words.some((_, at) => endsPhrase(words, at, phrase));
}

/** Whether the phrase ends at the word `last`. */
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
