import { NO_MARKS, type SessionMarks } from "../store/user-db.js";
import type { Archive } from "./archive-place.js";
import type { FoundSession } from "./found-session.js";

/** What turnlog itself keeps about sessions, beside their files. */
export interface Knowledge {
  /** By session id. */
  readonly marks?: ReadonlyMap<string, SessionMarks> | undefined;
  /** The names of sources by their folder. */
  readonly sources?: ReadonlyMap<string, string> | undefined;
  /** Where copies of sessions are that their client deleted. */
  readonly archive?: Archive | undefined;
}

/** The same about one session. */
export interface KnownFacts {
  /** The title that a person gave it here; it stands in for the session's own. */
  readonly userTitle: string | null;
  readonly tags: readonly string[];
  readonly favourite: boolean;
  readonly note: string | null;
  readonly source: string | null;
  readonly archived: boolean;
}

export function knownFacts(
  id: string,
  { marks }: Knowledge,
  found?: Pick<FoundSession, "source" | "archived">,
): KnownFacts {
  const { title, tags, favourite, note } = marks?.get(id) ?? NO_MARKS;
  return { userTitle: title, tags, favourite, note, source: found?.source ?? null, archived: found?.archived ?? false };
}
