import { UserError } from "../../errors.js";
import { listingTouchedFiles, type TouchedFiles } from "../../library/load/touched-files.js";
import type { QueryFields } from "../http/read-request.js";
import { inPieces } from "../http/send-answer.js";
import type { ServedLibrary } from "../library/served-library.js";
import { branchOf, type CachedSession } from "../library/session-cache.js";

/** What a session and its sub-agents did with files; listed once for the active branch. */
export function touchedFilesOf({ session, once }: CachedSession, branch?: string): Promise<TouchedFiles> {
  if (branch !== undefined) return inPieces(listingTouchedFiles(branchOf(session, branch)));
  return once("files", () => inPieces(listingTouchedFiles(session)));
}

/** The session that a request about files names. */
export function openNamed(library: ServedLibrary, query: QueryFields): Promise<CachedSession> {
  const id = query.text("session");
  if (id === undefined) throw new UserError("usage", "missing `session`", "session must be the id of a session");
  return library.open(id);
}
