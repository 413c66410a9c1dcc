import { join } from "node:path";
import type { SessionFile } from "../format/layout/list-session-files.js";
import type { SharedSubagents } from "../format/layout/session-files.js";
import { NO_MARKS, type SessionMarks } from "../store/user-db.js";

/** A session and where it was found. */
export interface FoundSession extends SessionFile {
  /** The folder below which it was looked for. */
  readonly root: string;
  /** The name of the source to which the root belongs; null for the client's own folders. */
  readonly source: string | null;
  /** Only turnlog's archive still has it: `path` is where it was. */
  readonly archived: boolean;
  /** A file to read it from: itself, or an unpacked copy that lives as long as the process. */
  readonly open: () => string;
  /** The sub-agent files of its project that lie outside session folders; read once per project. */
  readonly sharedSubagents: () => SharedSubagents;
}

/** What turnlog itself keeps about sessions, beside their files. */
export interface UserData {
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
  { marks }: UserData,
  found?: Pick<FoundSession, "source" | "archived">,
): KnownFacts {
  const { title, tags, favourite, note } = marks?.get(id) ?? NO_MARKS;
  return { userTitle: title, tags, favourite, note, source: found?.source ?? null, archived: found?.archived ?? false };
}

/** Compressed copies of sessions in turnlog's data folder. */
export interface Archive {
  readonly folder: string;
}

export function openArchive(dataDir: string): Archive {
  return { folder: join(dataDir, "archive") };
}
