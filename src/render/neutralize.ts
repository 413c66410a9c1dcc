/** Session content must never control the reader's terminal: escape sequences and other control characters are shown. */
export function neutralize(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, "").replace(CONTROL, (character) => visible(character));
}

/** Colours and styles that programs print are dropped, not shown: they carry no words. */
const ESCAPE_SEQUENCE = /\u001b\[[0-9;]*m/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (character === "\r") return "";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
}
