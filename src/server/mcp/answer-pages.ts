import { UserError } from "../../errors.js";
import type { Clean } from "../../redact/create-redactor.js";
import { neutralize } from "../../render/safe-text.js";

/** Maximum length of an answer, of its text and of its JSON. */
const ANSWER_CHARACTERS = 20_000;
/** Reserved for headings, cursor and field names. */
const FRAME_CHARACTERS = 4000;
export const PAGE_CHARACTERS = ANSWER_CHARACTERS - FRAME_CHARACTERS;

/** One item of an answer, with the cursor of a page that starts with it. */
export interface PageItem<Item> {
  readonly item: Item;
  /** The same as readable text. */
  readonly text: string;
  readonly cursor: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly text: string;
  readonly nextCursor: string | null;
}

/** Takes as many items as fit, at least one. Reads no more of `source` than these and the next one. */
export function takePage<Item>(source: Iterable<PageItem<Item>>, limit = Number.POSITIVE_INFINITY): Page<Item> {
  const items: Item[] = [];
  const texts: string[] = [];
  let room = PAGE_CHARACTERS;
  for (const { item, text, cursor } of source) {
    room -= Math.max(JSON.stringify(item).length, text.length) + 2;
    const isFull = items.length >= limit || (room < 0 && items.length > 0);
    if (isFull) return { items, text: texts.join("\n"), nextCursor: cursor };
    items.push(item);
    texts.push(text);
  }
  return { items, text: texts.join("\n"), nextCursor: null };
}

export function moreLine(nextCursor: string | null): string {
  return nextCursor === null
    ? ""
    : `\n\n(there is more: call again with the same arguments and cursor "${nextCursor}")`;
}

/** Parses `count` whole numbers separated by dots; zeros without a cursor. */
export function parseCursor(cursor: string | undefined, count: number): number[] {
  if (cursor === undefined) return Array<number>(count).fill(0);
  const numbers = /^\d{1,15}(\.\d{1,15})*$/.test(cursor) ? cursor.split(".").map(Number) : [];
  if (numbers.length === count) return numbers;
  throw badCursor(cursor);
}

export function badCursor(cursor: string): UserError {
  const hint = "pass nextCursor of the previous answer with the same arguments, or no cursor for the first page";
  return new UserError("usage", `invalid cursor: ${cursor}`, hint);
}

/** Removes control characters, then secrets: a colour code inside a token would hide it from the redactor. */
export function cleanText(text: string, clean: Clean, place: string): string {
  return clean(neutralize(text), place);
}

/** Cuts a part of at most `limit` characters of JSON. Redact first: a cut secret is not recognized. */
export function cutText(text: string, start: number, limit: number): { readonly text: string; readonly end: number } {
  let end = wholeCharacter(text, Math.min(text.length, start + limit));
  let cut = text.slice(start, end);
  for (let size = JSON.stringify(cut).length - 2; size > limit; size = JSON.stringify(cut).length - 2) {
    end = wholeCharacter(text, start + Math.max(2, Math.floor((end - start) * (limit / size))));
    cut = text.slice(start, end);
  }
  return { text: cut, end };
}

/** The start of a text, on one line. */
export function firstWords(text: string, limit: number): string {
  const line = text
    .slice(0, limit * 4)
    .replace(/\s+/g, " ")
    .trim();
  const { text: cut, end } = cutText(line, 0, limit);
  return end < line.length || text.length > limit * 4 ? `${cut}…` : cut;
}

/** Moves a cut out of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  return at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
