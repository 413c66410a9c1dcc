import { Contents } from "./contents.js";
import type { ContentsEntry } from "./contents-entry.js";
import type { PageTools } from "./page-tools.js";
import { toHtml } from "./to-html.js";

/** What the index of a session in several parts shows instead of turns. */
export function indexBody(entries: readonly ContentsEntry[], tools: PageTools): string {
  return toHtml(<Contents entries={entries} />, tools);
}
