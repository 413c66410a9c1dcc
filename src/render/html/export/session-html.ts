import type { ShownSession } from "../../show-session.js";
import type { ContentsEntry } from "./contents.js";
import { loadExportTools } from "./export-tools.js";
import { pageDocument } from "./session-page.js";
import { streamSession } from "./stream-session.js";

/** A session as one self-contained page, held in memory as a whole. */
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
