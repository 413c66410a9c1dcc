/** Makes session text safe to print: control characters become visible, so that they cannot control the terminal. */
export function neutralize(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, "").replace(UNSAFE, (character) => toVisible(character));
}

/** Colour and style sequences are dropped, not shown. */
const ESCAPE_SEQUENCE = /\u001b\[[0-9;:]*m/g;

/**
 * Control characters, direction overrides, invisible characters that programs and models read (zero-width spaces, fillers,
 * tags), unpaired surrogates and non-characters. Joiners stay: emoji and several scripts need them.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]/gu;

/**
 * The same JSON with those characters as escapes, so that a terminal shows it as it is. Between values there are only blanks
 * and line breaks, which stay.
 */
export function escapeInJson(json: string): string {
  return json
    .replace(/\r(?!\n)/g, "\\r")
    .replace(UNSAFE, (character) => (character === "\r" ? character : toEscapes(character)));
}

function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

function toVisible(character: string): string {
  const code = character.charCodeAt(0);
  if (character === "\r") return "";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
}

/** Removes blank lines at both ends. The first line keeps its indentation, to which later lines are aligned. */
export function trimBlankLines(text: string): string {
  return text.replace(/^([^\S\n]*\n)+/, "").trimEnd();
}
