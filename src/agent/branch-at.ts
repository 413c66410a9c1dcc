import { UserError } from "../errors.js";
import type { LoadedSession } from "../library/load-session.js";

/** The conversation up to a record, which is named in full. */
export function branchAt(session: LoadedSession, at: string): LoadedSession {
  if (session.outline.uuids.has(at)) return session.branch(at);
  throw new UserError(
    "not-found",
    `the session has no record ${at}`,
    "`turnlog show --json` tells the uuid of each record",
  );
}
