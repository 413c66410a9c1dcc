/**
 * The form in which text is indexed: SQLite's `ascii` tokenizer then cuts it as `tokenize` does.
 * ASCII passes untouched. Chinese, Japanese, Korean and emoji characters become words of their own; other letters lose
 * their accents and their case; what is neither letter, number nor mark becomes a space.
 */
export function foldText(text: string): string {
  return text.replace(FOREIGN_RUN, foldRun);
}

/**
 * NUL too: SQLite drivers cut or refuse text there.
 * The lines of tables and Chinese ideographs are runs of their own, since they are long, and quickly folded.
 */
const FOREIGN_RUN = /[\u2500-\u259F]+|[\u4E00-\u9FFF]{1,1000}|[^\x01-\x7f\u2500-\u259F\u4E00-\u9FFF]+/g;

const known = new Map<string, string>();
const MAX_KNOWN = 20_000;
/** V8 keeps the whole text alive for a longer piece of it. */
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

/** The letters of Latin, Greek and Cyrillic; only faster than what follows. */
const PLAIN_WORD = /^[À-ÖØ-öø-ɏΈ-ΊΎ-ΡΣ-ϵϷ-ҁҊ-ԯ]+$/;
const CJK = String.raw`(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]`;
/** U+F8FF separates identifiers in `identifierParts`. */
const PICTURE = String.raw`[\p{Extended_Pictographic}\p{Regional_Indicator}\uF8FF]`;
/** Variation selectors, joiners, the soft hyphen and the byte order mark change how a word looks, not what it is. */
const IGNORED = String.raw`[\p{Variation_Selector}\u00AD\u200C\u200D\u2060\uFEFF]+`;
const WORD = String.raw`(?:(?!${CJK}|${IGNORED})[\p{L}\p{N}\p{M}])+`;
const FOLDED = new RegExp(String.raw`((?:${CJK}|${PICTURE})+)|(${WORD})|(${IGNORED})|[^\x01-\x7f]`, "gu");
const ACCENTS = /[\u0300-\u036F]/g;
