import { ESCAPED, escapeRust, filesWith, type Pattern } from "../sources/ripgrep.js";
import { parseQuery, type Term } from "../text-index/parse-query.js";
import { foldText } from "../text-index/tokenize.js";
import { effectiveMode, isCaseIgnored, type SearchRequest } from "./search-request.js";

/**
 * The files that may contain what is searched for, found by ripgrep in their bytes; undefined where nothing can be ruled out.
 * Never leaves out a file with a hit: letters may have accents, and JSON may have escaped any character.
 */
export async function narrowFiles(request: SearchRequest, paths: readonly string[]): Promise<Set<string> | undefined> {
  const patterns = toPatterns(request).filter(({ source }) => source.length <= MAX_PATTERN_LENGTH);
  if (patterns.length === 0 || paths.length === 0) return undefined;
  let left = paths;
  for (const pattern of patterns) {
    const found = await filesWith(pattern, left);
    if (found === undefined) return undefined;
    left = found;
    if (left.length <= FEW_FILES) break;
  }
  return new Set(left);
}

/** So few are read as soon as searched again. */
const FEW_FILES = 8;

/** More alternatives take ripgrep longer than they save. */
const MAX_PATTERN_LENGTH = 20_000;

/** Each holds for every file with a hit; the one that rules out most comes first. */
function toPatterns(request: SearchRequest): readonly Pattern[] {
  const mode = effectiveMode(request);
  if (mode === "words") return wordPatterns(request.text);
  const run = longest(mode === "literal" ? plainRuns(request.text) : requiredRuns(request.text));
  if (run === undefined || isAdded(run)) return [];
  const flags = isCaseIgnored(request) ? ["--ignore-case"] : [];
  return [{ source: `${escapeRust(run)}|${ESCAPED}`, flags }];
}

const MAX_PATTERNS = 4;

/** Of each required group its longest words, then the next longest: those are in the fewest files. */
function wordPatterns(text: string): Pattern[] {
  const groups = parseQuery(text).required.flatMap((terms) =>
    [0, 1, 2].map((rank) => [...new Set(terms.flatMap((term) => longWords(term, rank)))]),
  );
  const usable = groups.filter(
    (words) =>
      words.length > 0 &&
      shortest(words) >= MIN_WORD &&
      !words.some(isAdded) &&
      words.every((word) => KNOWN_LETTERS.test(word)),
  );
  const sources = usable
    .sort((a, b) => shortest(b) - shortest(a))
    .map((words) => words.map((word) => Array.from(word, letterPattern).join("")))
    .map((words) => [...words, OTHER_LETTERS, ESCAPED].join("|"));
  return [...new Set(sources)].slice(0, MAX_PATTERNS).map((source) => ({ source, flags: [] }));
}

/** Texts that turnlog puts around what is recorded (`toAttachmentContent`): they are in no file. */
const ADDED = "<system-reminder> the user sent a new message while you were working contents of a file";

function isAdded(word: string): boolean {
  return ADDED.includes(word.toLowerCase());
}

/** A letter alone is in every file. Chinese characters are words of their own. */
const MIN_WORD = 2;

/** Latin, Greek, Cyrillic, Chinese, Japanese, Korean: those whose foldings are known here. */
const KNOWN_LETTERS = /^[0-9a-z\u00DF-\u052F\u3041-\u30FF\u3400-\u9FFF\uAC00-\uD7A3]+$/;

function shortest(words: readonly string[]): number {
  return Math.min(...words.map(weight));
}

function weight(word: string): number {
  return /[^\x00-\x7f]/.test(word) ? word.length + 1 : word.length;
}

/** A hit has all words of the term, or all of its parts: of each the longest, or the next longest. */
function longWords({ tokens, parts }: Term, rank: number): string[] {
  return [tokens, ...(parts ? [parts] : [])].flatMap((phrase) => {
    const words = byLength(phrase);
    return words[Math.min(rank, words.length - 1)] ?? [];
  });
}

function longest(texts: readonly string[]): string | undefined {
  return byLength(texts)[0];
}

function byLength(texts: readonly string[]): string[] {
  return texts.toSorted((a, b) => Number(isAdded(a)) - Number(isAdded(b)) || weight(b) - weight(a));
}

/** All single characters that fold to the same letter. */
function letterPattern(letter: string): string {
  const others = LETTERS_THAT_FOLD.filter((other) => foldText(other) === letter);
  const all = [...new Set([letter, letter.toUpperCase(), ...others])].filter((one) => one.length === 1);
  return all.length === 1 ? escapeRust(letter) : `[${all.map(escapeRust).join("")}]`;
}

/** Letters with accents, by far the most common ones that fold to another letter. */
const LETTERS_THAT_FOLD = Array.from({ length: 0x530 - 0xc0 }, (_, at) => String.fromCharCode(0xc0 + at));

/** Rarer characters that may fold to anything: a file with one of them may contain every word. */
export const OTHER_LETTERS = [
  // accents and invisible signs of their own; those that emoji have too only before a letter
  String.raw`[\x{300}-\x{36F}\x{AD}\x{200C}\x{2060}\x{FEFF}\x{3099}\x{309A}\x{180B}-\x{180D}\x{180F}\x{E0100}-\x{E01EF}]`,
  String.raw`[\x{200D}\x{FE00}-\x{FE0F}][0-9A-Za-z\x{C0}-\x{52F}\x{3041}-\x{30FF}\x{3400}-\x{9FFF}\x{AC00}-\x{D7A3}]`,
  // superscripts, ligatures, signs for several letters, letters in circles, full-width and mathematical letters, compatibility forms
  String.raw`[\x{AA}\x{B2}\x{B3}\x{B5}\x{B9}\x{BA}\x{BC}-\x{BE}\x{132}\x{133}\x{149}\x{1C4}-\x{1CC}\x{1F1}-\x{1F3}\x{1D2C}-\x{1DBF}\x{1E00}-\x{1FFF}\x{2070}-\x{209C}\x{20A8}\x{2100}-\x{218B}\x{2460}-\x{24EA}\x{2C60}-\x{2C7F}\x{2E80}-\x{2FD5}\x{3038}-\x{303A}\x{309B}\x{309C}\x{309F}\x{30FF}\x{3131}-\x{319F}\x{31F0}-\x{33FF}\x{A640}-\x{A7FF}\x{AB30}-\x{AB6F}\x{1100}-\x{11FF}\x{F900}-\x{FAFF}\x{FB00}-\x{FB06}\x{FF10}-\x{FF19}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{FF65}-\x{FFDC}\x{10780}-\x{107BF}\x{1CCD6}-\x{1CCF9}\x{1D400}-\x{1D7FF}\x{1E030}-\x{1E06D}\x{1F100}-\x{1F1AD}\x{1F200}-\x{1F251}\x{1FBF0}-\x{1FBF9}\x{2F800}-\x{2FA1D}]`,
].join("|");

/** Words of a literal that JSON writes as they are. Spaces may stand for other things: the text of a command is made of its parts. */
function plainRuns(text: string): string[] {
  return text.split(/[^\x21-\x7e]|["\\/]/).filter((run) => run.length >= MIN_WORD);
}

const ESCAPE = /\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[^}]*\}|p\{[^}]*\}|k<[^>]*>|c[a-z]|\d+|[\s\S])/gi;

/** Parts that every match of a regular expression has; none where that is not easy to tell. */
function requiredRuns(pattern: string): string[] {
  if (pattern.includes("|")) return [];
  const outside = pattern
    .replace(ESCAPE, "\n") // an escape stands for something else
    .replace(/\[[^\]]*\]/g, "\n")
    .replace(/\([^()]*\)/g, "\n");
  if (/[()[\]]/.test(outside)) return [];
  return outside
    .replace(/[\s\S](?:[?*]|\{[^}]*\})/g, "\n") // may be missing
    .split(/[^0-9A-Za-z_]/)
    .filter((run) => run.length >= MIN_WORD);
}
