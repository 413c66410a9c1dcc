import stringWidth from "string-width";

/** How many columns of a terminal a text takes. Most texts are plain, where counting is a hundred times faster. */
export function textWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  const bare = text.replace(COLOURS, "");
  return PLAIN.test(bare) ? bare.length + (bare.match(WIDE)?.length ?? 0) : stringWidth(bare);
}

const PRINTABLE_ASCII = /^[ -~]*$/;
const COLOURS = /\u001b\[[0-9;]*m/g;
/** Characters of two columns: Chinese and Japanese, and whole syllables of Korean. */
const WIDE_RANGES = String.raw`\u3001-\u3011\u3041-\u3096\u30A1-\u30FF\u4E00-\u9FFF\uAC00-\uD7A3`;
/** Of one: Latin, Greek and Cyrillic letters, dashes and quotes, arrows, the lines of tables. None joins with another. */
const NARROW_RANGES = String.raw` -~\xA1-\xAC\xAE-\u02FF\u0391-\u03A1\u03A3-\u03C9\u0400-\u0481\u048A-\u052F\u2010-\u2027\u2190-\u2193\u2200-\u22FF\u2500-\u257F`;
const PLAIN = new RegExp(`^[${NARROW_RANGES}${WIDE_RANGES}]*$`);
const WIDE = new RegExp(`[${WIDE_RANGES}]`, "g");
