const MAX_CHARS = 4_000;

/** Up to the end of a word; scripts without spaces have one after each character. */
const WORDS = /^.*[\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]/su;
const LETTER = /[\p{L}\p{N}]/u;

/**
 * How much of a line that still grows may be shown: whole words, up to a quote that is not closed yet, and nothing once
 * there is a secret. A secret is only known by all of it and what stands before it.
 */
export function settledPart(line: string, hasSecret: (text: string) => boolean): string {
  const words = wholeWords(line.slice(0, MAX_CHARS));
  const part = wholeWords(words.slice(0, openQuote(words)));
  return hasSecret(part) ? "" : part;
}

function wholeWords(text: string): string {
  return WORDS.exec(text)?.[0] ?? "";
}

/** Where it is; undefined: all are closed. An apostrophe is none. */
function openQuote(text: string): number | undefined {
  let open: number | undefined;
  for (const { 0: mark, index } of text.matchAll(/["'`]/g)) {
    if (open !== undefined) open = text[open] === mark ? undefined : open;
    else if (mark !== "'" || !LETTER.test(text[index - 1] ?? "")) open = index;
  }
  return open;
}
