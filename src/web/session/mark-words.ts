import { findHits, fold } from "../../render/html/page-script/find-hits.js";

const MOST_MARKS = 500;

/** Marks the words of a search without touching the text. */
export function markWords(box: Element | null, query: string): void {
  if (!("highlights" in CSS)) return;
  const words = searchedWords(query);
  if (!box || words.length === 0) {
    CSS.highlights.delete("hit");
    return;
  }
  const marks = new Highlight();
  for (const word of words) for (const range of findHits(box, fold(word), MOST_MARKS)) marks.add(range);
  CSS.highlights.set("hit", marks);
}

/** What of a search can be seen in a text: neither filters nor what must not be there. */
export function searchedWords(query: string): string[] {
  const words = query
    .replace(/(?<=^|\s)[a-z]+:("[^"]*"|\S+)/gi, " ")
    .match(/"[^"]+"|\S+/g)
    ?.filter((word) => !word.startsWith("-") && word !== "OR");
  return (words ?? []).map((word) => word.replace(/^"|"$|\*$/g, "")).filter((word) => word.length > 1);
}
