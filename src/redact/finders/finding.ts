/** The place of a secret in a text, without the secret itself. */
export interface Finding {
  readonly kind: string;
  readonly start: number;
  readonly end: number; // exclusive
  /** Recognized by its own shape, such as `ghp_…`; otherwise by its context, such as `password=`. */
  readonly certain: boolean;
  /** Replaces it instead of a placeholder, such as `~` for the home folder. */
  readonly mark?: string;
  /** Stands around the placeholder, where it takes the place of a number in JSON. */
  readonly quote?: string;
}

/** In order and without overlap: findings that overlap become one, named by the first certain of them. */
export function mergeFindings(findings: readonly Finding[]): Finding[] {
  const merged: Finding[] = [];
  for (const next of findings.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && next.start < last.end) merged[merged.length - 1] = mergeTwo(last, next);
    else merged.push(next);
  }
  return merged;
}

function mergeTwo(first: Finding, second: Finding): Finding {
  const named = !first.certain && second.certain ? second : first;
  return { ...named, start: first.start, end: Math.max(first.end, second.end) };
}

/** Finds secrets of one notation. It is only asked at places where one of its anchors is. */
export interface Finder {
  readonly anchors: readonly string[];
  /** Anchors match in any case. */
  readonly anyCase?: boolean;
  /** Decides by context; not asked inside of what is already found. */
  readonly isGuess?: boolean;
  find(text: string, at: number): readonly Finding[];
}

/** A part of a text and its place. */
export interface Stretch {
  readonly text: string;
  readonly start: number;
  readonly end: number; // exclusive
}

/** A group of a match with indices (flag `d`); `at` is the offset of the searched text. */
export function matchedGroup(match: RegExpExecArray | null, group: number, at = 0): Stretch | undefined {
  const span = match?.indices?.[group];
  const text = match?.[group];
  return span && text !== undefined ? { text, start: at + span[0], end: at + span[1] } : undefined;
}

/** What a sticky pattern captures at a place. */
export function captureAt(pattern: RegExp, text: string, at: number, group = 1): Stretch | undefined {
  pattern.lastIndex = at;
  return matchedGroup(pattern.exec(text), group);
}

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
