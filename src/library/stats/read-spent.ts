import { readRecords } from "../../format/reader/record-reader.js";
import { openSession } from "../../session/open-session.js";
import { placeMessages } from "../../session/session-spend.js";
import { toCounted } from "../catalog/number-rows.js";
import type { ScannedFile } from "./scan-file.js";

/** What `scanFile` returns, from the session. */
export function readSpent(path: string, isAgent: boolean): ScannedFile {
  const session = openSession();
  for (const record of readRecords(path, { abridge: true })) session.push(record);
  const outline = session.view();
  return { project: outline.facts.firstCwd, messages: placeMessages(outline, isAgent).map(toCounted) };
}
