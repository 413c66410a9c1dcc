import { readFileSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { isObject, tryParseJson } from "../json.js";
import {
  attempt,
  type FileProblem,
  type FolderEntry,
  findFiles,
  listFolder,
  listTree,
  type TreeItem,
  type TreeOptions,
} from "./folder-listing.js";
import { findSessionIdsInHead } from "./session-ids.js";
import {
  agentIdOf,
  configRootOf,
  type SessionPaths,
  sessionPaths,
  subagentMetaFile,
  subagentsDirOf,
  transcriptOf,
} from "./session-paths.js";

/** What a file is to its session; folders that hold neither tool results nor backups are `other`. */
export type SessionFileRole = "transcript" | "subagent" | "subagentMeta" | "toolResult" | "title" | "backup" | "other";

/** A file, folder or link that belongs to a session. */
export interface SessionItem extends TreeItem {
  readonly role: SessionFileRole;
  /**
   * Below the session's own folder; of a backup, below the session's folder of backups. Sub-agents that older versions put
   * beside the sessions are named as if they were in the session's own folder, where they never collide.
   */
  readonly name: string;
}

export interface SessionItemOptions extends TreeOptions {
  /** The configuration folder with the backups; by default the one that the path of the session implies. */
  readonly configRoot?: string;
  /** By default read from the project folder. */
  readonly shared?: SharedSubagents;
}

/**
 * All that belongs to a session: its transcript first, then sub-agents outside its own folder, its own folder (sub-agents,
 * tool results, title), and the backups of files that it edited. A folder comes before what it holds.
 */
export function listSessionItems(sessionFile: string, options: SessionItemOptions = {}): SessionItem[] {
  const paths = sessionPaths(sessionFile);
  const { id, projectDir, sideDir } = paths;
  const { configRoot = configRootOf(sessionFile), shared = findSharedSubagents(projectDir) } = options;
  const outside = (shared.bySession.get(id) ?? []).flatMap(({ path }) => [path, subagentMetaFile(path)]);
  const backups = paths.fileHistoryDir(configRoot);
  return [
    ...listTree(sessionFile, options).map((item) => toItem(item, "transcript", basename(item.path))),
    ...outside.flatMap((path) => listTree(path, options)).map((item) => toOutsideItem(item)),
    ...listTree(sideDir, options).map((item) => toItem(item, roleIn(paths, item), relative(sideDir, item.path))),
    ...listTree(backups, options).map((item) => toItem(item, "backup", relative(backups, item.path))),
  ];
}

function toItem(item: TreeItem, role: SessionFileRole, name: string): SessionItem {
  return { ...item, role, name };
}

function toOutsideItem(item: TreeItem): SessionItem {
  const name = basename(item.path);
  return toItem(item, roleOfAgentFile(name) ?? "other", join(subagentsDirOf(""), name));
}

function roleIn({ toolResultsDir, customTitleFile }: SessionPaths, { path, kind }: TreeItem): SessionFileRole {
  if (path === toolResultsDir || path.startsWith(toolResultsDir + sep)) return "toolResult";
  if (kind === "folder") return "other";
  return path === customTitleFile ? "title" : (roleOfAgentFile(basename(path)) ?? "other");
}

function roleOfAgentFile(name: string): SessionFileRole | undefined {
  if (agentIdOf(name) !== undefined) return "subagent";
  return /^agent-.+\.meta\.json$/s.test(name) ? "subagentMeta" : undefined;
}

export interface SubagentFile {
  readonly agentId: string;
  readonly path: string;
  /** `beside-sessions` is 2.0.x, `session-folder` 2.1.29 and later, `project-folder` reported only. */
  readonly place: "session-folder" | "beside-sessions" | "project-folder";
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
  /** The object in `agent-<id>.meta.json` (2.1.325); null when there is none or it cannot be read as one. */
  readonly meta: Readonly<Record<string, unknown>> | null;
}

export interface SubagentListing {
  readonly subagents: readonly SubagentFile[];
  readonly problems: readonly FileProblem[];
}

/** The sub-agent files of a project outside its session folders, by the session that their lines name. */
export interface SharedSubagents {
  readonly bySession: ReadonlyMap<string, readonly SubagentFile[]>;
  /** No line near their start names a session. */
  readonly unclaimed: readonly SubagentFile[];
  readonly problems: readonly FileProblem[];
}

/**
 * All sub-agent files of a session, wherever its version of Claude Code put them (those of 1.x are in the session file
 * itself). For many sessions of one project pass `shared`, so that the project folder is read once.
 */
export function findSubagentFiles(
  sessionFile: string,
  shared: SharedSubagents = findSharedSubagents(sessionPaths(sessionFile).projectDir),
): SubagentListing {
  const { id, subagentsDir } = sessionPaths(sessionFile);
  const own = findSubagentsBelow(subagentsDir, "session-folder");
  return {
    subagents: [...own.subagents, ...(shared.bySession.get(id) ?? [])],
    problems: [...own.problems, ...shared.problems],
  };
}

export function findSharedSubagents(projectDir: string): SharedSubagents {
  const listing = listFolder(projectDir);
  const problems = [...listing.problems];
  const beside = listing.entries
    .filter(({ kind }) => kind === "file")
    .flatMap((entry) => toSubagentFile(entry, "beside-sessions", problems));
  const below = findSubagentsBelow(subagentsDirOf(projectDir), "project-folder");
  problems.push(...below.problems);
  const bySession = new Map<string, SubagentFile[]>();
  const unclaimed: SubagentFile[] = [];
  for (const subagent of [...beside, ...below.subagents]) {
    const id = sessionIdOf(subagent.path, projectDir, problems);
    const group = id === undefined ? unclaimed : (bySession.get(id) ?? []);
    group.push(subagent);
    if (id !== undefined) bySession.set(id, group);
  }
  return { bySession, unclaimed, problems };
}

/** Also in folders further below, such as `subagents/workflows/<name>/` (reported). */
function findSubagentsBelow(folder: string, place: SubagentFile["place"]): SubagentListing {
  const { entries, problems } = findFiles(folder);
  const found = [...problems];
  return { subagents: entries.flatMap((entry) => toSubagentFile(entry, place, found)), problems: found };
}

function toSubagentFile(entry: FolderEntry, place: SubagentFile["place"], problems: FileProblem[]): SubagentFile[] {
  const { name, path } = entry;
  const agentId = agentIdOf(name);
  const stats = agentId === undefined ? undefined : attempt(path, problems, () => statSync(path));
  if (agentId === undefined || stats === undefined) return [];
  const { size, mtimeMs, ino } = stats;
  return [{ agentId, path, place, size, mtimeMs, inode: ino, meta: readMeta(subagentMetaFile(path), problems) }];
}

function readMeta(path: string, problems: FileProblem[]): SubagentFile["meta"] {
  const text = attempt(path, problems, () => readFileSync(path, "utf8"));
  if (text === undefined) return null;
  const meta = tryParseJson(text);
  if (isObject(meta)) return meta;
  problems.push({ path, reason: "not a JSON object" });
  return null;
}

/** The first line of a resumed session's agent may name a session that was never written (2.0.76). */
export function sessionIdOf(path: string, projectDir: string, problems: FileProblem[]): string | undefined {
  const ids = attempt(path, problems, () => findSessionIdsInHead(path)) ?? [];
  const isWritten = (id: string) => (statSync(transcriptOf(projectDir, id), { throwIfNoEntry: false })?.size ?? 0) > 0;
  return ids.length > 1 ? (ids.find(isWritten) ?? ids[0]) : ids[0];
}
