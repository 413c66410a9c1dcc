/**
 * The form in which text is indexed: SQLite's `ascii` tokenizer then cuts it as `tokenize` does.
 * ASCII passes untouched. Chinese, Japanese, Korean and emoji characters become words of their own; other letters lose
 * their accents and their case; what is neither letter, number nor mark becomes a space.
 */
export function foldText(text: string): string {
  return text.replace(FOREIGN_RUN, foldRun);
}

/** NUL too: SQLite drivers cut or refuse text there. */
const FOREIGN_RUN = /[^\x01-\x7f]+/g;

const known = new Map<string, string>();
const MAX_KNOWN = 20_000;
const MAX_KNOWN_LENGTH = 8;

/** Most runs are the same few dashes, bullets and accented letters. */
function foldRun(run: string): string {
  if (run.length > MAX_KNOWN_LENGTH) return computeFold(run);
  let folded = known.get(run);
  if (folded === undefined) {
    if (known.size === MAX_KNOWN) known.clear();
    folded = computeFold(run);
    known.set(run, folded);
  }
  return folded;
}

function computeFold(run: string): string {
  return run.normalize("NFKC").replace(FOLDED, (_, standalone?: string, word?: string, ignored?: string) => {
    if (standalone !== undefined) return ` ${[...standalone].join(" ")} `;
    if (word !== undefined) return word.normalize("NFD").replace(ACCENTS, "").toLowerCase().replaceAll("ς", "σ");
    return ignored !== undefined ? "" : " ";
  });
}

const CJK = String.raw`(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]`;
/** U+F8FF separates identifiers in `identifierParts`. */
const PICTURE = String.raw`[\p{Extended_Pictographic}\p{Regional_Indicator}\uF8FF]`;
/** Variation selectors, joiners, the soft hyphen and the byte order mark change how a word looks, not what it is. */
const IGNORED = String.raw`[\p{Variation_Selector}\u00AD\u200C\u200D\u2060\uFEFF]+`;
const WORD = String.raw`(?:(?!${CJK}|${IGNORED})[\p{L}\p{N}\p{M}])+`;
const FOLDED = new RegExp(String.raw`((?:${CJK}|${PICTURE})+)|(${WORD})|(${IGNORED})|[^\x01-\x7f]`, "gu");
const ACCENTS = /[\u0300-\u036F]/g;
