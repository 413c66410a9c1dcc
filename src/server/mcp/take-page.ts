import { UserError } from "../../errors.js";

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
