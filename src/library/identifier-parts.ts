/** Stands between the identifiers, so that no phrase reaches from one into the next. */
export const IDENTIFIER_BREAK = "\uF8FF";

/**
 * The parts of every identifier that is cut by upper-case letters (`camelCase`, `HTTPServer`), each identifier once.
 * `snake_case` and paths are not here: the tokenizer cuts them.
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

/** One word in its parts, which together are the word again; digits stay with the letters before them. */
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
