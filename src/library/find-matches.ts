import { foldText } from "./fold-text.js";
import { splitIdentifier } from "./identifier-parts.js";
import { endsPhrase, type Phrase } from "./match-phrase.js";
import type { Query, Term } from "./parse-query.js";
import { type PlacedToken, tokenize, tokenizeWithPlaces } from "./tokenize.js";

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
  const places: PlacedToken[] = [];
  const words: string[] = [];
  const open = new Set(terms.keys());
  const longest = Math.max(...terms.map(({ tokens }) => tokens.length));
  for (const place of terms.length > 0 ? tokenizeWithPlaces(text) : []) {
    places.push(place);
    words.push(place.token);
    const parts = partsOf(text, place);
    for (const term of open) {
      const match = matchAt(places, words, terms[term]) ?? matchInside(parts, terms[term]);
      if (match && found[term]?.push({ ...match, term }) === maxPerTerm) open.delete(term);
    }
    if (open.size === 0) break;
    if (words.length > longest + SPARE) {
      places.splice(0, SPARE);
      words.splice(0, SPARE);
    }
  }
  return found.flat().sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Words are forgotten so many at a time, once no phrase can reach back to them. */
const SPARE = 1000;

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
