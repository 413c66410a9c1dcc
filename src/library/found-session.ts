import { join } from "node:path";
import type { ConfigPlaces } from "../format/layout/config-places.js";
import type { SharedSubagents } from "../format/layout/files-of-session.js";
import type { SessionFile } from "../format/layout/sessions-of-project.js";
import { NO_MARKS, type SessionMarks } from "../store/user-db.js";

/** A session and where it was found. */
export interface FoundSession extends SessionFile {
  /** The root it was found below. */
  readonly root: string;
  /** The name of the root's source; null for Claude Code's own folders. */
  readonly source: string | null;
  /** Only turnlog's archive still has it; `path` is where it was. */
  readonly archived: boolean;
  /** The file to read it from: itself, or an unpacked copy that is removed when the process ends. */
  readonly open: () => string;
  /** The same with what Claude Code trimmed from it put back from the archive; `open()` where nothing is missing. */
  readonly whole?: () => { readonly path: string; readonly archivedLines: number };
  /** The same with what is before the compaction that a copy by `--fork-session` begins with, where its source is still known. */
  readonly withSource?: () => {
    readonly path: string;
    readonly from: { readonly id: string; readonly lines: number } | null;
  };
  /** The sub-agent files of its project outside session folders; read once per project. */
  readonly sharedSubagents: () => SharedSubagents;
  /** What the configuration folder holds of sessions outside of their projects; read once per root. */
  readonly places: () => ConfigPlaces;
}

/** What turnlog stores about sessions outside of their files. */
export interface UserData {
  /** By session id. */
  readonly marks?: ReadonlyMap<string, SessionMarks> | undefined;
  /** Names of sources by folder. */
  readonly sources?: ReadonlyMap<string, string> | undefined;
  /** Where the archived copies are. */
  readonly archive?: Archive | undefined;
  /** The sessions' own titles by path, as far as they are known without reading. */
  readonly titles?: (() => ReadonlyMap<string, string>) | undefined;
}

/** What is known of one session besides its file. */
export interface KnownFacts {
  /** A title given with turnlog; it replaces the session's own. */
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

/** The folder of compressed copies of sessions. */
export interface Archive {
  readonly folder: string;
}

export function openArchive(dataDir: string): Archive {
  return { folder: join(dataDir, "archive") };
}
