import { relative } from "node:path";
import { findFiles } from "../../format/layout/folder-listing.js";
import { findSubagentFiles } from "../../format/layout/session-files.js";
import { configRootOf, sessionPaths, subagentMetaFile, subagentsDirOf } from "../../format/layout/session-paths.js";

/** A file that belongs to a session besides its transcript. */
export interface SideFile {
  readonly path: string;
  /** Where a copy lies, below the folder of the new session or of its file history. */
  readonly name: string;
  readonly kind: "subagent" | "title" | "other";
}

export interface SideFiles {
  readonly sideFolder: readonly SideFile[];
  /** Backups of edited files. */
  readonly fileHistory: readonly SideFile[];
}

/**
 * Sub-agents that older clients put beside the sessions go into the session's own folder: their names would be taken, and all
 * sessions are read there. Links are left out: a copy is complete in itself.
 */
export function listSideFiles(sessionFile: string): SideFiles {
  const { sideDir, customTitleFile, fileHistoryDir } = sessionPaths(sessionFile);
  const own = filesBelow(sideDir).map((file) => (file.path === customTitleFile ? asTitle(file) : file));
  const shared = findSubagentFiles(sessionFile).subagents.filter(({ place }) => place !== "session-folder");
  const beside = shared
    .flatMap(({ path, meta }) => [path, ...(meta ? [subagentMetaFile(path)] : [])])
    .map(toFolderFile);
  return { sideFolder: [...own, ...beside], fileHistory: filesBelow(fileHistoryDir(configRootOf(sessionFile))) };
}

function filesBelow(folder: string): SideFile[] {
  return findFiles(folder)
    .entries.filter(({ isLink }) => !isLink)
    .map(({ path }) => ({ path, name: relative(folder, path), kind: kindOf(path) }));
}

function asTitle(file: SideFile): SideFile {
  return { ...file, kind: "title" };
}

function toFolderFile(path: string): SideFile {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return { path, name: subagentsDirOf("").concat("/", name), kind: kindOf(path) };
}

function kindOf(path: string): SideFile["kind"] {
  return /(?:^|[/\\])agent-[^/\\]+\.jsonl$/.test(path) ? "subagent" : "other";
}
