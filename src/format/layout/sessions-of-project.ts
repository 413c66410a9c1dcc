import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { attempt, type FileProblem, type FolderEntry, listFolder } from "./folder-listing.js";
import { projectEntryOf, projectsDirOf } from "./session-paths.js";

export interface ProjectDir {
  readonly path: string;
  /** The folder's name. It cannot be decoded: the project's path is the `cwd` of the lines. */
  readonly slug: string;
}

export interface ProjectListing {
  readonly projects: readonly ProjectDir[];
  readonly problems: readonly FileProblem[];
}

export interface SessionFile {
  readonly path: string;
  readonly id: string;
  /** Bytes; 0 is normal. */
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
}

export interface SessionListing {
  readonly sessions: readonly SessionFile[];
  /** Session folders whose transcript is gone; sub-agent files or tool results may survive in them. */
  readonly withoutTranscript: readonly { readonly id: string; readonly sideDir: string }[];
  readonly problems: readonly FileProblem[];
}

/** The project folders of a configuration folder. A folder reached by several names is listed once, links last. */
export function listProjectDirs(configRoot: string): ProjectListing {
  const root = projectsDirOf(configRoot);
  const { entries, problems } = listFolder(root);
  const found = [...problems];
  const realRoot = attempt(root, found, () => realpathSync(root)) ?? root;
  const seen = new Set([realRoot]);
  const projects = [...entries]
    .filter(({ kind }) => kind === "folder")
    .sort((a, b) => Number(a.isLink) - Number(b.isLink))
    .filter((entry) => isNew(realPathOf(entry, realRoot, found), seen))
    .map(({ path, name }) => ({ path, slug: name }));
  return { projects, problems: found };
}

/** The sessions of a project folder by id, found by name alone: `sessions-index.json` is stale and not trusted. */
export function listSessionFiles(projectDir: string): SessionListing {
  const { entries, problems } = listFolder(projectDir);
  const found = [...problems];
  const sessions: SessionFile[] = [];
  const sideDirs = new Map<string, string>();
  for (const entry of entries) {
    const role = projectEntryOf(entry.name);
    if (role === "session") {
      const id = entry.name.slice(0, -".jsonl".length);
      sideDirs.delete(id); // The folder came first: entries are sorted by name.
      const session = toSessionFile(id, entry, found);
      if (session) sessions.push(session);
    } else if (role === "sessionFolder" && entry.kind === "folder") sideDirs.set(entry.name, entry.path);
  }
  const withoutTranscript = [...sideDirs].map(([id, sideDir]) => ({ id, sideDir }));
  return { sessions, withoutTranscript, problems: found };
}

/** Only links cost a system call: the real path of a folder follows from that of its parent. */
function realPathOf(entry: FolderEntry, realRoot: string, problems: FileProblem[]): string | undefined {
  if (!entry.isLink) return join(realRoot, entry.name);
  return attempt(entry.path, problems, () => realpathSync(entry.path));
}

function isNew(realPath: string | undefined, seen: Set<string>): boolean {
  if (realPath === undefined || seen.has(realPath)) return false;
  seen.add(realPath);
  return true;
}

function toSessionFile(id: string, { path, kind }: FolderEntry, problems: FileProblem[]): SessionFile | undefined {
  if (kind !== "file") {
    problems.push({ path, reason: "not a file" });
    return undefined;
  }
  const stats = attempt(path, problems, () => statSync(path));
  return stats && { path, id, size: stats.size, mtimeMs: stats.mtimeMs, inode: stats.ino };
}
