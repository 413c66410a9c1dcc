import stringWidth from "string-width";

/** How many columns of a terminal a text takes. Most texts are simple, and for them counting is 100 times faster than `string-width`. */
export function textWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  const bare = text.replace(COLOURS, "");
  return PLAIN.test(bare) ? bare.length + (bare.match(WIDE)?.length ?? 0) : stringWidth(bare);
}

/** Cuts between graphemes, so that no emoji or accent is split. */
export function cutToColumns(text: string, columns: number): string {
  const isShort = text.length * 2 <= columns; // no character is wider than two columns
  if (isShort || (text.length <= columns && textWidth(text) <= columns)) return text;
  let width = 0;
  let kept = "";
  const start = text.slice(0, columns * 8);
  // A plain text needs no `Intl.Segmenter`, which takes 10 ms to load.
  for (const part of isPlain(start) ? start : graphemesOf(start)) {
    width += textWidth(part);
    if (width > columns - 1) return `${kept.trimEnd()}…`;
    kept += part;
  }
  return kept;
}

function isPlain(text: string): boolean {
  return PRINTABLE_ASCII.test(text) || PLAIN.test(text);
}

function* graphemesOf(text: string): Generator<string> {
  for (const { segment } of new Intl.Segmenter().segment(text)) yield segment;
}

const PRINTABLE_ASCII = /^[ -~]*$/;
const COLOURS = /\u001b\[[0-9;]*m/g;
/** Characters of two columns: Chinese and Japanese, whole syllables of Korean, and full-width forms. */
const WIDE_RANGES = String.raw`\u3001-\u3011\u3041-\u3096\u30A1-\u30FF\u4E00-\u9FFF\uAC00-\uD7A3\uFF01-\uFF60`;
/**
 * Characters of one column: Latin, Greek and Cyrillic letters, punctuation, currencies, and symbols such as arrows, check marks, stars and
 * the lines of tables, where they are no emoji. None combines with another of these.
 */
const NARROW_RANGES = String.raw` -~\xA1-\xAC\xAE-\u02FF\u0391-\u03A1\u03A3-\u03C9\u0400-\u0481\u048A-\u052F\u2010-\u2027\u2030-\u205E\u20A0-\u20C0\u2100-\u2328\u232B-\u262F\u2638-\u2689\u2690-\u2B55`;
/** Emoji of two columns, without flags and skin tones, which join with others. */
const EMOJI = String.raw`[\p{Emoji_Presentation}--[\u{1F1E6}-\u{1F1FF}\u{1F3FB}-\u{1F3FF}]]`;
const PLAIN = new RegExp(`^[${NARROW_RANGES}${WIDE_RANGES}${EMOJI}]*$`, "v");
/** What has one UTF-16 code unit and two columns; other emoji have two of both. */
const WIDE = new RegExp(String.raw`[${WIDE_RANGES}[\p{Emoji_Presentation}&&[\u231A-\u2B55]]]`, "gv");
