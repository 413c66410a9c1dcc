import type { TextMatcher } from "./search-request.js";
import { densestGroup, makeSnippet, type Snippet } from "./snippet.js";

/** Takes secrets out of a text. */
export type Mask = (text: string) => string;

/** Masking looks at this much around a match, so that no secret is cut in two where it would be seen. */
const MASKED_AROUND = 16 * 1024;
/** The snippet comes from this much around a match. */
const SHOWN_AROUND = 2048;

/** The place of a text where it matches best, without secrets. Half a secret is none that a redactor knows. */
export function hitSnippet(text: string, matcher: TextMatcher, mask?: Mask, matches = matcher.find(text)): Snippet {
  if (!mask) return makeSnippet(text, matches);
  const { start: at, end } = densestGroup(matches)[0] ?? { start: 0, end: 0 };
  const before = text.slice(Math.max(0, at - MASKED_AROUND), at);
  const after = text.slice(at, end + MASKED_AROUND);
  const isCutBefore = before.length < at;
  const isCutAfter = at + after.length < text.length;
  const start = isCutBefore ? `…${before.replace(/^\S*/, "")}` : before;
  const rest = isCutAfter ? `${after.replace(/\S*$/, "")}…` : after;
  return snippetAt(mask(start + rest), mask(start).length, matcher);
}

/** The match itself may have been a secret that is no longer there. */
function snippetAt(text: string, place: number, matcher: TextMatcher): Snippet {
  const from = Math.max(0, place - SHOWN_AROUND);
  const near = matcher.find(text.slice(from, place + SHOWN_AROUND));
  const nowhere = { start: Math.min(place, text.length), end: Math.min(place, text.length) };
  return makeSnippet(
    text,
    near.length === 0
      ? [nowhere]
      : near.map((match) => ({ ...match, start: match.start + from, end: match.end + from })),
  );
}

const PROMPT_COLUMNS = 100;

/** The first words of a prompt, in one line. */
export function promptLine(prompt: string, mask: Mask = (text) => text): string {
  return makeSnippet(mask(prompt.slice(0, MASKED_AROUND)), [], { columns: PROMPT_COLUMNS }).text;
}
