import { UserError } from "../../errors.js";
import type { Clean } from "../../redact/create-redactor.js";
import { neutralize } from "../../render/safe-text.js";

/** No answer has more characters than this, neither its text nor its JSON. */
const ANSWER_CHARACTERS = 20_000;
/** What stands around the items: headings, cursor, names of fields. */
const FRAME_CHARACTERS = 4000;
export const PAGE_CHARACTERS = ANSWER_CHARACTERS - FRAME_CHARACTERS;

/** Something that an answer may hold, and the cursor of a page that begins with it. */
export interface PageItem<Item> {
  readonly item: Item;
  /** The same for reading. */
  readonly text: string;
  readonly cursor: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly text: string;
  readonly nextCursor: string | null;
}

/** As many as fit, at least one; the source is asked for no more than that and the next. */
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

/** How the text of a page says that there is more. */
export function moreLine(nextCursor: string | null): string {
  return nextCursor === null ? "" : `\n\n(there is more: the same arguments with cursor "${nextCursor}")`;
}

/** Whole numbers with a dot between them; as many as `count`, 0 for each without a cursor. */
export function parseCursor(cursor: string | undefined, count: number): number[] {
  if (cursor === undefined) return Array<number>(count).fill(0);
  const numbers = /^\d{1,15}(\.\d{1,15})*$/.test(cursor) ? cursor.split(".").map(Number) : [];
  if (numbers.length === count) return numbers;
  throw badCursor(cursor);
}

export function badCursor(cursor: string): UserError {
  const hint = "give nextCursor of the answer before, with the same arguments, or none to begin";
  return new UserError("usage", `not a cursor of this tool: ${cursor}`, hint);
}

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
