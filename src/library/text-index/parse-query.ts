import { foldText, IDENTIFIER_BREAK, identifierParts, tokenize } from "./tokenize.js";

/** A parsed search text. Any text is a valid query. */
export interface Query {
  /** `blank`: no text; `empty`: no words in it (`=>`); `exclusions`: only excluded terms. */
  readonly kind: "terms" | "exclusions" | "empty" | "blank";
  /** All groups must match, each by at least one of its terms. */
  readonly required: readonly (readonly Term[])[];
  /** None may match. */
  readonly excluded: readonly Term[];
}

/** Words that follow each other. */
export interface Term {
  readonly tokens: readonly string[];
  /** The words of `camelCase`, which may also be part of a longer identifier. */
  readonly parts: readonly string[] | null;
  /** The last word is a prefix. */
  readonly isPrefix: boolean;
}

/**
 * Words, "phrases", prefix*, -exclusions, and OR between neighbours, which binds tighter than the space between words.
 * An unclosed quote extends to the end. Anything else is plain text.
 */
export function parseQuery(text: string): Query {
  const pieces = Array.from(text.matchAll(PIECE), toPiece).filter(({ term }) => term.tokens.length > 0);
  const required = groupAlternatives(pieces);
  const excluded = pieces.filter(({ isExcluded }) => isExcluded).map(({ term }) => term);
  return { kind: kindOf(text, required.length, excluded.length), required, excluded };
}

interface Piece {
  readonly term: Term;
  readonly isExcluded: boolean;
  readonly isOr: boolean;
}

/** A hyphen excludes only at the start of a word; two start an option such as `--json`. */
const PIECE = /(?<exclusion>(?<!\S)-(?=[^\s-]))?(?:"(?<phrase>[^"]*)(?:"(?<star>\*?)|$)|(?<word>[^\s"]+))/g;

function toPiece({ groups = {} }: RegExpMatchArray): Piece {
  const { exclusion, phrase, star, word } = groups;
  const isExcluded = exclusion !== undefined;
  if (phrase !== undefined) return { term: toTerm(phrase, star === "*"), isExcluded, isOr: false };
  const stem = (word ?? "").replace(/\*+$/, "");
  const term = toTerm(stem, stem !== word);
  return { term: { ...term, parts: partsOf(stem, term) }, isExcluded, isOr: word === "OR" && !isExcluded };
}

/** `foo.*` is no prefix: its last word ends at the dot. */
function toTerm(text: string, hasStar: boolean): Term {
  const folded = foldText(text);
  return { tokens: tokenize(folded), parts: null, isPrefix: hasStar && /[0-9A-Za-z\u0080-\uFFFF]$/.test(folded) };
}

function partsOf(word: string, { tokens }: Term): string[] | null {
  const parts = tokens.length === 1 ? tokenize(foldText(identifierParts(word))) : [];
  return parts.length < 2 || parts.includes(IDENTIFIER_BREAK) ? null : parts;
}

/** An OR that is not between two required terms is ignored: the query may be half typed. Alone it is the word "or". */
function groupAlternatives(pieces: readonly Piece[]): Term[][] {
  const groups: Term[][] = [];
  const isWord = pieces.every(({ isOr, isExcluded }) => isOr || isExcluded);
  let isJoining = false;
  pieces.forEach(({ term, isExcluded, isOr }, at) => {
    if (isExcluded) return;
    const [before, after] = [pieces[at - 1], pieces[at + 1]];
    const canJoin = isOr && !isJoining && before?.isExcluded === false && after?.isExcluded === false;
    if (isJoining) groups.at(-1)?.push(term);
    else if (!isOr || isWord) groups.push([term]);
    isJoining = canJoin;
  });
  return groups;
}

function kindOf(text: string, required: number, excluded: number): Query["kind"] {
  if (required > 0) return "terms";
  if (excluded > 0) return "exclusions";
  return text.trim() === "" ? "blank" : "empty";
}
