import { countSessionFiles, listIndexed } from "./indexed/list-indexed.js";
import type { Index } from "./indexed/open-index.js";
import type { SyncResult } from "./indexed/sync-index.js";
import type { SessionList } from "./list-sessions.js";
import type { LoadOptions } from "./load-session.js";
import type { SessionFilter } from "./session-filter.js";
import type { SessionSummary } from "./session-summary.js";

export interface LibraryList extends SessionList {
  /** Whether the session's own title has to be looked through before it is shown. */
  mayHoldSecret(session: SessionSummary): boolean;
}

/** All sessions of the roots: from the index, or without one by reading them. */
export async function listLibrary(
  index: Index | undefined,
  sync: SyncResult | undefined,
  roots: readonly string[],
  filter: SessionFilter = {},
  options: LoadOptions = {},
): Promise<LibraryList> {
  if (!index) {
    const { listSessions } = await import("./list-sessions.js");
    const list = listSessions(roots, filter, options);
    return { ...list, mayHoldSecret: () => true };
  }
  const { sessions, secretTitles } = listIndexed(index.db, roots, options, filter);
  return {
    sessions,
    mayHoldSecret: (session) => secretTitles.has(session),
    found: countSessionFiles(index.db, roots),
    withoutTranscript: sync?.withoutTranscript ?? 0,
    problems: sync?.problems ?? [],
  };
}
