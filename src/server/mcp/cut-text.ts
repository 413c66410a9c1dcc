import type { Clean } from "../../redact/clean.js";
import { neutralize } from "../../render/neutralize.js";

/** Without control characters and secrets, in this order: a colour in the middle of a token would hide it. */
export function cleanText(text: string, clean: Clean, place: string): string {
  return clean(neutralize(text), place);
}

/** A stretch of a text that takes at most so many characters as JSON, and where it ends. Secrets must be out of it before. */
export function cutText(text: string, start: number, limit: number): { readonly text: string; readonly end: number } {
  let end = wholeCharacter(text, Math.min(text.length, start + limit));
  let cut = text.slice(start, end);
  for (let size = JSON.stringify(cut).length - 2; size > limit; size = JSON.stringify(cut).length - 2) {
    end = wholeCharacter(text, start + Math.max(2, Math.floor((end - start) * (limit / size))));
    cut = text.slice(start, end);
  }
  return { text: cut, end };
}

/** The beginning of a text in one line. */
export function firstWords(text: string, limit: number): string {
  const line = text
    .slice(0, limit * 4)
    .replace(/\s+/g, " ")
    .trim();
  const { text: cut, end } = cutText(line, 0, limit);
  return end < line.length || text.length > limit * 4 ? `${cut}…` : cut;
}

/** Never between the halves of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  return at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
