import { listSessionItems, type SessionFileRole } from "../../format/layout/files-of-session.js";

/** A file that belongs to a session besides its transcript. */
export interface SideFile {
  readonly path: string;
  /** The path of a copy below the folder of the new session, or below its folder of backups. */
  readonly name: string;
  readonly kind: "subagent" | "title" | "other";
}

export interface SideFiles {
  readonly sideFolder: readonly SideFile[];
  /** Backups of edited files. */
  readonly fileHistory: readonly SideFile[];
}

/** What is true of the source only, such as that it was archived with Claude Code or where its lines start. */
const NOT_COPIED: ReadonlySet<SessionFileRole> = new Set([
  "transcript",
  "mark",
  "state",
  "sibling",
  "formerTranscript",
]);

/** Linked files are left out: a copy is complete in itself. */
export function listSideFiles(sessionFile: string): SideFiles {
  const files = listSessionItems(sessionFile, { links: "follow", problems: [] })
    .filter(({ kind, role }) => kind === "file" && !NOT_COPIED.has(role))
    .filter(({ place }) => place === "project" || place === "file-history")
    .map(({ path, name, role }) => ({ path, name, role, kind: kindOf(role) }));
  return {
    sideFolder: files.filter(({ role }) => role !== "backup"),
    fileHistory: files.filter(({ role }) => role === "backup"),
  };
}

function kindOf(role: SessionFileRole): SideFile["kind"] {
  return role === "subagent" || role === "title" ? role : "other";
}
