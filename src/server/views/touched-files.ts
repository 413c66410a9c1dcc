import { listingTouchedFiles, type TouchedFiles } from "../../library/load/touched-files.js";
import { inPieces } from "../http/send-answer.js";
import { branchOf, type CachedSession } from "../library/session-cache.js";

/** What a session and its sub-agents did with files; listed once for the active branch. */
export function touchedFilesOf({ session, once }: CachedSession, branch?: string): Promise<TouchedFiles> {
  if (branch !== undefined) return inPieces(listingTouchedFiles(branchOf(session, branch)));
  return once("files", () => inPieces(listingTouchedFiles(session)));
}
