/**
 * Whether a token may begin here: not in the middle of a word, where `\n`, `\u0022`, `%3D` and a colour code count as
 * ends of what precedes (the text may be JSON inside JSON), and not in the middle of base64 data.
 */
export function startsToken(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - LOOK_BACK), at);
  if (/[A-Za-z0-9]$/.test(before)) return ESCAPE_AT_END.test(before);
  if (before.endsWith("\\")) return !isEscapeLetter(text, at);
  return !(/[+/]$/.test(before) && BASE64_DATA.test(before));
}

/** Whether the letter here is one half of an escape, as the `n` in `\n`, and not part of a word. */
export function isEscapeLetter(text: string, at: number): boolean {
  const slashes = /\\*$/.exec(text.slice(Math.max(0, at - LOOK_BACK), at))?.[0].length ?? 0;
  return slashes % 2 === 1 && /[bfnrtu]/.test(text.charAt(at));
}

const LOOK_BACK = 72;
const ESCAPE_AT_END = /(?:\\[nrtbfv0]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9A-F]{2}|\[[\d;]{1,12}m|\/bot)$/; // …/bot123:AA… at Telegram
const BASE64_DATA = /^[A-Za-z0-9+/]{72}$/;
