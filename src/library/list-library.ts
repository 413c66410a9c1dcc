import { countSessionFiles, listIndexed } from "./indexed/list-indexed.js";
import type { Index } from "./indexed/open-index.js";
import type { SyncResult } from "./indexed/sync-index.js";
import type { SessionList } from "./list-sessions.js";
import type { LoadOptions } from "./load-session.js";
import { matchesFilter, type SessionFilter } from "./session-filter.js";

/** All sessions of the roots: from the index, or without one by reading them. */
export async function listLibrary(
  index: Index | undefined,
  sync: SyncResult | undefined,
  roots: readonly string[],
  filter: SessionFilter = {},
  options: LoadOptions = {},
): Promise<SessionList> {
  if (!index) return (await import("./list-sessions.js")).listSessions(roots, filter, options);
  const all = listIndexed(index.db, roots, options);
  return {
    sessions: all.filter((session) => matchesFilter(session, filter)).slice(0, filter.limit),
    found: countSessionFiles(index.db, roots),
    withoutTranscript: sync?.withoutTranscript ?? 0,
    problems: sync?.problems ?? [],
  };
}
