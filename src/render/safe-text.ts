/** Session content must never control the reader's terminal: escape sequences and other control characters are shown. */
export function neutralize(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, "").replace(HARMFUL, (character) => visible(character));
}

/** Colours and styles that programs print are dropped, not shown: they carry no words. */
const ESCAPE_SEQUENCE = /\u001b\[[0-9;:]*m/g;

/**
 * Control characters; what turns the writing direction around; what cannot be seen but is read by programs and models:
 * spaces without width, fillers, tags; halves of characters, and what is none. Joiners stay, since emoji and several scripts are written with them.
 */
const HARMFUL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]/gu;

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (character === "\r") return "";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
}

/** Without blank lines around it. The first line keeps its own indentation, to which the next ones are aligned. */
export function trimBlankLines(text: string): string {
  return text.replace(/^([^\S\n]*\n)+/, "").trimEnd();
}
