import { agentIdOf, isSessionFileName, isSessionId } from "../format/layout.js";

/** `root` is what a person named, `projects` holds project folders, `side` is a session's, `agents` holds sub-agents. */
type FolderRole = "root" | "projects" | "project" | "side" | "agents";

export type WatchedKind = "session" | "agent" | "side";

export interface FileState {
  readonly kind: WatchedKind;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
}

/** A folder that matters, and what was last seen in it. */
export interface WatchedFolder {
  readonly path: string;
  readonly name: string;
  readonly role: FolderRole;
  readonly root: string;
  readonly isLink: boolean;
  readonly parent: WatchedFolder | undefined;
  readonly files: Map<string, FileState>;
  readonly folders: Map<string, WatchedFolder>;
  /** A root that holds projects: nothing else in it matters. */
  isConfigDir: boolean;
  inode: number; // 0 while it is not there
  mtimeMs: number;
  /** It was listed so soon after it changed that its time would not tell of one more change. */
  isRacy: boolean;
  activeAt: number; // ms since the epoch: the latest change of the folder or of a file in it
}

export function newFolder(
  place: Pick<WatchedFolder, "path" | "name" | "role" | "root" | "isLink" | "parent">,
): WatchedFolder {
  return {
    ...place,
    files: new Map(),
    folders: new Map(),
    isConfigDir: false,
    inode: 0,
    mtimeMs: 0,
    isRacy: false,
    activeAt: 0,
  };
}

export const PROJECTS = "projects";
const SUBAGENTS = "subagents";

/** What a file in a folder is to us, by its name. */
export function fileKindIn({ role, isConfigDir }: WatchedFolder, name: string): WatchedKind | undefined {
  if (role === "projects" || isConfigDir) return undefined;
  if (isSessionFileName(name)) return "session";
  if (agentIdOf(name) !== undefined) return "agent";
  return role === "side" || role === "agents" ? "side" : undefined;
}

/** What a folder in a folder is to us, by its name. */
export function folderRoleIn(
  { role, isConfigDir }: WatchedFolder,
  name: string,
  isLink: boolean,
): FolderRole | undefined {
  switch (role) {
    case "root":
      if (isConfigDir) return name === PROJECTS ? "projects" : undefined;
      return isLink ? undefined : (roleInProject(name) ?? "project");
    case "projects":
      return "project";
    case "project":
      return roleInProject(name);
    case "side":
      return name === SUBAGENTS ? "agents" : undefined;
    case "agents":
      return isLink ? undefined : "agents";
  }
}

function roleInProject(name: string): FolderRole | undefined {
  if (isSessionId(name)) return "side";
  return name === SUBAGENTS ? "agents" : undefined;
}
