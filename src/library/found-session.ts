import type { SharedSubagents } from "../format/find-subagents.js";
import type { SessionFile } from "../format/list-sessions.js";

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
