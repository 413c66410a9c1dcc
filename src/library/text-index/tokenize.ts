/** The words of a folded text, exactly as SQLite's `ascii` tokenizer and FTS5 keep them. */
export function tokenize(folded: string): string[] {
  return (folded.match(TOKEN) ?? []).map((token) => limitLength(token.toLowerCase()));
}

export interface PlacedToken {
  readonly token: string;
  readonly start: number;
  readonly end: number;
}

/** The same words with their place in the original text, starting at `from`. Lazy: reads only as far as the caller iterates. */
export function* tokenizeWithPlaces(text: string, from = 0): Generator<PlacedToken> {
  const token = new RegExp(TOKEN);
  token.lastIndex = from;
  for (const { 0: run, index } of text.matchAll(token)) {
    if (!FOREIGN.test(run)) yield placed(run, index, index + run.length);
    else for (const [at, chunk] of splitRun(run)) yield* placeTokens(chunk, index + at);
  }
}

/** The pieces of a run of word characters that can be folded one by one, and where they begin. */
export function* splitRun(run: string): Generator<readonly [at: number, piece: string]> {
  if (!FOREIGN.test(run)) yield [0, run];
  else for (const { 0: piece, index } of run.matchAll(CHUNK)) yield [index, piece];
}

const TOKEN = /[0-9A-Za-z\u0080-\uFFFF]+/g;
const FOREIGN = /[\u0080-\uFFFF]/;
/** Ends where words and normalization units end, so that a long text without ASCII is not one chunk. */
const CHUNK = /[\s\S]+?(?:(?<=[\p{P}\p{Z}\p{Script=Han}])|$)/gu;

/** FTS5 truncates longer words. */
const MAX_TOKEN_BYTES = 32_768;

function limitLength(token: string): string {
  if (token.length * 3 <= MAX_TOKEN_BYTES) return token;
  const bytes = Buffer.from(token);
  return bytes.length <= MAX_TOKEN_BYTES ? token : bytes.subarray(0, MAX_TOKEN_BYTES).toString();
}

function placed(token: string, start: number, end: number): PlacedToken {
  return { token: limitLength(token.toLowerCase()), start, end };
}

function placeTokens(chunk: string, offset: number): PlacedToken[] {
  const tokens = placeByCluster(chunk, offset);
  const expected = tokenize(foldText(chunk));
  const isSame = tokens.length === expected.length && tokens.every(({ token }, at) => token === expected[at]);
  return isSame ? tokens : expected.map((token) => ({ token, start: offset, end: offset + chunk.length }));
}

/** A character and the marks that may compose with it. */
const CLUSTER = /[\s\S][\p{M}\uFF9E\uFF9F\u1160-\u11FF\uD7B0-\uD7FF]*/gu;
const TOKEN_OR_GAP = /([0-9A-Za-z\u0080-\uFFFF]+)|[\s\S]/g;

function placeByCluster(chunk: string, offset: number): PlacedToken[] {
  const tokens: PlacedToken[] = [];
  let open: PlacedToken | undefined;
  for (const { 0: cluster, index } of chunk.matchAll(CLUSTER)) {
    const end = offset + index + cluster.length;
    for (const [, piece] of foldText(cluster).matchAll(TOKEN_OR_GAP)) {
      if (open && piece === undefined) tokens.push(placed(open.token, open.start, open.end));
      open =
        piece === undefined
          ? undefined
          : { token: (open?.token ?? "") + piece, start: open?.start ?? end - cluster.length, end };
    }
  }
  if (open) tokens.push(placed(open.token, open.start, open.end));
  return tokens;
}

/**
 * Normalizes text for the index, so that SQLite's `ascii` tokenizer splits it as `tokenize` does.
 * ASCII stays as it is. Chinese, Japanese, Korean and emoji characters become words of their own; other letters lose
 * accents and case; characters that are no letter, number or mark become spaces.
 */
export function foldText(text: string): string {
  return text.replace(FOREIGN_RUN, foldRun);
}

/**
 * Includes NUL, at which SQLite drivers truncate or reject text.
 * Box-drawing characters and Chinese ideographs are runs of their own: they are long and have fast paths.
 */
const FOREIGN_RUN = /[\u2500-\u259F]+|[\u4E00-\u9FFF]{1,1000}|[^\x01-\x7f\u2500-\u259F\u4E00-\u9FFF]+/g;

const known = new Map<string, string>();
const MAX_KNOWN = 20_000;
/** For longer substrings V8 keeps the whole text in memory. */
const MAX_KNOWN_LENGTH = 12;

function foldRun(run: string): string {
  const first = run.charCodeAt(0);
  if (first >= 0x2500 && first <= 0x259f) return " ";
  return run.length > MAX_KNOWN_LENGTH ? computeFold(run) : foldKnown(run);
}

/** Most runs are the same few dashes, bullets and accented letters. */
function foldKnown(run: string): string {
  let folded = known.get(run);
  if (folded === undefined) {
    if (known.size === MAX_KNOWN) known.clear();
    folded = computeFold(run);
    known.set(run, folded);
  }
  return folded;
}

function computeFold(run: string): string {
  const first = run.charCodeAt(0);
  if (first >= 0x4e00 && first <= 0x9fff) return setApart(run);
  const normal = run.normalize("NFKC");
  if (PLAIN_WORD.test(normal)) return foldWord(normal);
  return normal.replace(FOLDED, (_, standalone?: string, word?: string, ignored?: string) => {
    if (standalone !== undefined) return ` ${Array.from(standalone).join(" ")} `;
    if (word !== undefined) return foldWord(word);
    return ignored !== undefined ? "" : " ";
  });
}

/** Three times faster than `split` and `join`. */
function setApart(ideographs: string): string {
  const codes = new Uint16Array(2 * ideographs.length + 1).fill(0x20);
  for (let at = 0; at < ideographs.length; at++) codes[2 * at + 1] = ideographs.charCodeAt(at);
  return Reflect.apply(String.fromCharCode, null, codes);
}

function foldWord(word: string): string {
  return word.normalize("NFD").replace(ACCENTS, "").toLowerCase().replaceAll("ς", "σ");
}

/** Latin, Greek and Cyrillic letters: a fast path with the same result. */
const PLAIN_WORD = /^[À-ÖØ-öø-ɏΈ-ΊΎ-ΡΣ-ϵϷ-ҁҊ-ԯ]+$/;
const CJK = String.raw`(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]`;
/** U+F8FF separates identifiers in `identifierParts`. */
const PICTURE = String.raw`[\p{Extended_Pictographic}\p{Regional_Indicator}\uF8FF]`;
/** Variation selectors, joiners, the soft hyphen and the byte order mark change how a word looks, not what it is. */
const IGNORED = String.raw`[\p{Variation_Selector}\u00AD\u200C\u200D\u2060\uFEFF]+`;
const WORD = String.raw`(?:(?!${CJK}|${IGNORED})[\p{L}\p{N}\p{M}])+`;
const FOLDED = new RegExp(String.raw`((?:${CJK}|${PICTURE})+)|(${WORD})|(${IGNORED})|[^\x01-\x7f]`, "gu");
const ACCENTS = /[\u0300-\u036F]/g;

/** Separates identifiers, so that no phrase spans two of them. */
export const IDENTIFIER_BREAK = "\uF8FF";

/**
 * The parts of identifiers with inner upper-case letters (`camelCase`, `HTTPServer`), each identifier once.
 * `snake_case` and paths are not included: the tokenizer splits them.
 */
export function identifierParts(text: string): string {
  let found: Set<string> | undefined;
  CAPITAL_INSIDE.lastIndex = 0;
  while (CAPITAL_INSIDE.test(text)) {
    const at = CAPITAL_INSIDE.lastIndex - 1;
    if (!startsPart(text, at)) continue;
    const start = findStart(text, at);
    const end = findEnd(text, at);
    if (end - start <= MAX_LENGTH) {
      found ??= new Set();
      found.add(text.slice(start, end));
    }
    CAPITAL_INSIDE.lastIndex = end;
  }
  if (!found) return "";
  return Array.from(found, (identifier) => splitIdentifier(identifier).join(" ")).join(` ${IDENTIFIER_BREAK} `);
}

/** Splits a word into its parts; digits stay with the letters before them. */
export function splitIdentifier(word: string): string[] {
  const parts: string[] = [];
  if (word.length > MAX_LENGTH) return [word];
  let start = 0;
  for (let at = 1; at < word.length; at++) {
    if (!isUpper(word.charCodeAt(at)) || !startsPart(word, at)) continue;
    parts.push(word.slice(start, at));
    start = at;
  }
  return [...parts, word.slice(start)];
}

/** Finds candidates faster than a loop over the characters. */
const CAPITAL_INSIDE = /[A-Z](?<=[a-z]\d*.|[A-Z]\d*.(?=[a-z]))/g;

/** Longer ones are encoded bytes, not names. */
const MAX_LENGTH = 64;

/** The upper-case letter at `at` follows a lower-case one (`fooBar`), or ends a run of capitals (`HTTPServer`). */
function startsPart(text: string, at: number): boolean {
  let before = at - 1;
  while (before > 0 && isDigit(text.charCodeAt(before))) before--;
  const code = text.charCodeAt(before);
  return isLower(code) || (isUpper(code) && isLower(text.charCodeAt(at + 1)) && !isPlural(text, at));
}

/** The `s` of `URLs` and `IDs` belongs to the capitals. */
function isPlural(text: string, at: number): boolean {
  return text.charCodeAt(at + 1) === LOWER_S && !isLower(text.charCodeAt(at + 2));
}

const LOWER_S = 115;

function findStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && isWordCode(text.charCodeAt(start - 1))) start--;
  return start;
}

function findEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && isWordCode(text.charCodeAt(end))) end++;
  return end;
}

function isWordCode(code: number): boolean {
  return isLower(code) || isUpper(code) || isDigit(code) || code > 127;
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isLower(code: number): boolean {
  return code >= 97 && code <= 122;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
