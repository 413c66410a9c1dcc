import { countOnce, isCountedMessage } from "../../session/messages/message.js";
import { placeMessages, toCounted } from "../../session/number-rows.js";
import { readSession } from "../../session/open-session.js";
import type { FileOutlines, ScannedFile } from "./scan-file.js";

/** What `scanFile` returns, from the session. */
export function readSpent(path: string, isAgent: boolean): ScannedFile {
  const outline = readSession(path).session.view();
  return { project: outline.facts.firstCwd, messages: placeMessages(outline, isAgent).map(toCounted) };
}

/** What `scanOutlines` returns, from the session. */
export function readOutlines(path: string): FileOutlines {
  const outline = readSession(path).session.view();
  return {
    project: outline.facts.firstCwd,
    messages: countOnce(outline.messages.values()).filter(isCountedMessage),
  };
}
