/** A part of a text and where it stands. */
export interface Stretch {
  readonly text: string;
  readonly start: number;
  readonly end: number; // exclusive
}

/** A group that a pattern with indices (flag `d`) matched; `at` is where the text that it searched begins. */
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
