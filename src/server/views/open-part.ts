import type { ServedLibrary } from "../library/served-library.js";
import type { CachedSession } from "../library/session-cache.js";

/** The session, or one of its sub-agents. */
export function openPart(library: ServedLibrary, id: string, agent: string | undefined): Promise<CachedSession> {
  return agent === undefined ? library.open(id) : library.openAgent(id, agent);
}
