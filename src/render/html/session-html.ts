import type { ShownSession } from "../shown-session.js";
import type { ContentsEntry } from "./contents-entry.js";
import { loadExportTools } from "./load-export-tools.js";
import { pageDocument } from "./page-document.js";
import { streamSession } from "./stream-session.js";

/** A session as one page that needs nothing but itself. It is held in memory as a whole. */
export async function sessionHtml(session: ShownSession): Promise<string> {
  const { header, totals } = session;
  const tools = await loadExportTools(header.project);
  const entries: ContentsEntry[] = [];
  const body: string[] = [];
  for (const { entry, pieces } of streamSession(session, tools)) {
    for (const piece of pieces) body.push(piece);
    if (entry) entries.push(entry);
  }
  const [before, after] = pageDocument({ header, totals, entries, parts: [] }, tools);
  return [before, ...body, after].join("");
}
