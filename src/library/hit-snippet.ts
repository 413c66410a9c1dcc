import type { TextMatcher } from "./search-request.js";
import { makeSnippet, type Snippet } from "./snippet.js";

/** Takes secrets out of a text. */
export type Mask = (text: string) => string;

/** Masking looks at this much around a match, so that no secret is cut in two where it would be seen. */
const MASKED_AROUND = 8192;

/** The place of a text where it matches, without secrets. */
export function hitSnippet(text: string, matcher: TextMatcher, mask?: Mask): Snippet {
  const matches = matcher.find(text);
  if (!mask) return makeSnippet(text, matches);
  const start = Math.max(0, (matches[0]?.start ?? 0) - MASKED_AROUND);
  const around = text.slice(start, (matches[0]?.end ?? 0) + MASKED_AROUND);
  const masked = mask(around);
  const { text: shown, marks } = makeSnippet(masked, matcher.find(masked));
  const isCut = start > 0 && !shown.startsWith("…");
  return isCut
    ? { text: `…${shown}`, marks: marks.map(([from, to]) => [from + 1, to + 1] as const) }
    : { text: shown, marks };
}

const PROMPT_COLUMNS = 100;

/** The first words of a prompt, in one line. */
export function promptLine(prompt: string, mask: Mask = (text) => text): string {
  return makeSnippet(mask(prompt.slice(0, MASKED_AROUND)), [], { columns: PROMPT_COLUMNS }).text;
}
