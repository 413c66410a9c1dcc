import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { listAt } from "../../collections.js";
import { isObject, tryParseJson } from "../json.js";
import { type ConfigPlaces, findConfigPlaces, type SessionPlace } from "./config-places.js";
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
import { isPlainFileName } from "./path-forms.js";
import { findSessionIdsInHead } from "./session-ids.js";
import {
  agentIdOf,
  configRootOf,
  isReservedName,
  isSessionFileName,
  projectsDirOf,
  type SessionPaths,
  sessionIdBefore,
  sessionPaths,
  subagentMetaFile,
  subagentsDirOf,
  transcriptOf,
} from "./session-paths.js";

/**
 * What a file is to its session: `mark` says that it was archived with Claude Code, `state` is meant for its processes only, a
 * `sibling` is named after the session beside its transcript, a `formerTranscript` is what a rewrite of the transcript left
 * there. Folders that hold neither tool results nor backups are `other`.
 */
export type SessionFileRole =
  | "transcript"
  | "subagent"
  | "subagentMeta"
  | "toolResult"
  | "title"
  | "mark"
  | "state"
  | "sibling"
  | "formerTranscript"
  | "backup"
  | "other";

/** A file, folder or link that belongs to a session. */
export interface SessionItem extends TreeItem {
  readonly role: SessionFileRole;
  readonly place: SessionPlace;
  /**
   * Below the session's own folder; of a sibling, beside the transcript; elsewhere, below the folder that is the session's in that
   * place. Sub-agents that older versions put beside the sessions are named as if they were in the session's own folder,
   * where they never collide.
   */
  readonly name: string;
}

export interface SessionItemOptions extends TreeOptions {
  /** The configuration folder with the backups; by default the one that the path of the session implies. */
  readonly configRoot?: string;
  /** By default read from the project folder. */
  readonly shared?: SharedSubagents;
  /** By default read from the configuration folder. */
  readonly places?: ConfigPlaces;
}

/**
 * All that belongs to a session and to no other: its transcript first, then sub-agents outside its own folder, siblings of the
 * transcript, its own folder (sub-agents, tool results, title), the backups of files that it edited, and what the
 * configuration folder holds under its id. A folder comes before what it holds. Files that name many sessions are not
 * among them (see `library/trash/shared-mentions.ts`).
 */
export function listSessionItems(sessionFile: string, options: SessionItemOptions = {}): SessionItem[] {
  const paths = sessionPaths(sessionFile);
  const { id, projectDir, sideDir } = paths;
  const { shared = findSharedSubagents(projectDir) } = options;
  const outside = (shared.bySession.get(id) ?? []).flatMap(({ path }) => [path, subagentMetaFile(path)]);
  const siblings = shared.siblings.get(id) ?? [];
  return [
    ...listTree(sessionFile, options).map((item) => toItem(item, "transcript", "project", basename(item.path))),
    ...outside.flatMap((path) => listTree(path, options)).map((item) => toOutsideItem(item)),
    ...siblings.flatMap((path) => listTree(path, options)).map((item) => toSibling(item, projectDir)),
    ...(hasOwnFolder(id) ? listTree(sideDir, options) : []).map((item) =>
      toItem(item, roleIn(paths, item), "project", relative(sideDir, item.path)),
    ),
    ...listItemsElsewhere(sessionFile, options),
  ];
}

/** What the configuration folder holds of a session outside of the project folder; the session itself may be gone. */
export function listItemsElsewhere(sessionFile: string, options: SessionItemOptions = {}): SessionItem[] {
  const { id, projectDir, fileHistoryDir } = sessionPaths(sessionFile);
  if (!hasOwnFolder(id)) return [];
  const { configRoot = configRootOf(sessionFile) } = options;
  const backups = fileHistoryDir(configRoot);
  const isInConfigRoot = dirname(projectDir) === projectsDirOf(configRoot);
  const placed = isInConfigRoot ? (options.places ?? findConfigPlaces(configRoot)).pathsOf(id) : [];
  return [
    ...listTree(backups, options).map((item) => toItem(item, "backup", "file-history", relative(backups, item.path))),
    ...placed.flatMap(({ place, path }) =>
      listTree(path, options).map((item) => toItem(item, "other", place, relative(path, item.path))),
    ),
  ];
}

/** No folder is that of a session only because a file beside it has its name: `memory.jsonl`, `..jsonl`. */
function hasOwnFolder(id: string): boolean {
  return isPlainFileName(id) && !isReservedName(id);
}

function toItem(item: TreeItem, role: SessionFileRole, place: SessionPlace, name: string): SessionItem {
  return { ...item, role, place, name };
}

function toOutsideItem(item: TreeItem): SessionItem {
  const name = basename(item.path);
  return toItem(item, roleOfAgentFile(name) ?? "other", "project", join(subagentsDirOf(""), name));
}

/** `.jsonl.compact.tmp.*` and `.jsonl.superseded-*` are whole or partial transcripts that a rewrite left (2.1.326). */
function toSibling(item: TreeItem, projectDir: string): SessionItem {
  const name = relative(projectDir, item.path);
  return toItem(item, /\.jsonl\.[^/\\]+$/.test(name) ? "formerTranscript" : "sibling", "project", name);
}

/** Offsets into the transcript, and links to a cloud session or to what a process was doing (2.1.326). */
const STATE_FILE = /^(?:ccr-tip|precompact|sent-prefix)\.json$|^resume-head\.jsonl$|^auto-mode-|^remote-agents[\\/]/;

function roleIn(paths: SessionPaths, { path, kind }: TreeItem): SessionFileRole {
  const { sideDir, toolResultsDir, customTitleFile, archivedFile } = paths;
  if (path === toolResultsDir || path.startsWith(toolResultsDir + sep)) return "toolResult";
  if (kind === "folder") return "other";
  if (path === customTitleFile) return "title";
  if (path === archivedFile) return "mark";
  if (STATE_FILE.test(relative(sideDir, path))) return "state";
  return roleOfAgentFile(basename(path)) ?? "other";
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
  /** Other files that are named after a session beside its transcript, by session. */
  readonly siblings: ReadonlyMap<string, readonly string[]>;
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
  return { bySession, siblings: groupSiblings(listing.entries), unclaimed, problems };
}

function groupSiblings(entries: readonly FolderEntry[]): ReadonlyMap<string, readonly string[]> {
  const siblings = new Map<string, string[]>();
  for (const { name, path } of entries) {
    const id = isSessionFileName(name) ? undefined : sessionIdBefore(name);
    if (id !== undefined) listAt(siblings, id).push(path);
  }
  return siblings;
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
  const text = attempt(path, problems, () => {
    const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined; // an exception is slow
    return isThere ? readFileSync(path, "utf8") : undefined;
  });
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
