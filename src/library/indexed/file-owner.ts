import { sessionIdOf } from "../../format/find-subagents.js";
import type { FileProblem } from "../../format/folder-listing.js";
import { sessionPaths, transcriptOf } from "../../format/layout.js";
import type { LibraryFile } from "./library-file.js";

/** The session to which a file belongs. */
export interface FileOwner {
  readonly sessionId: string;
  readonly path: string | null; // null: the file is the session
}

/** A sub-agent that names no session is taken as one of its own, of which only the sub-agent is left. */
export function ownerOf({ path, agent }: LibraryFile, problems: FileProblem[]): FileOwner {
  if (!agent) return { sessionId: sessionPaths(path).id, path: null };
  if (agent.owner !== undefined) return { sessionId: sessionPaths(agent.owner).id, path: agent.owner };
  const sessionId = sessionIdOf(path, agent.projectDir, problems) ?? sessionPaths(path).id;
  return { sessionId, path: transcriptOf(agent.projectDir, sessionId) };
}
