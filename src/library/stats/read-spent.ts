import { placeMessages, toCounted } from "../../session/number-rows.js";
import { readSession } from "../../session/open-session.js";
import type { ScannedFile } from "./scan-file.js";

/** What `scanFile` returns, from the session. */
export function readSpent(path: string, isAgent: boolean): ScannedFile {
  const outline = readSession(path).session.view();
  return { project: outline.facts.firstCwd, messages: placeMessages(outline, isAgent).map(toCounted) };
}
