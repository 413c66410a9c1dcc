import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { guessChange } from "../../format/identity/file-identity.js";
import { attempt } from "../../format/layout/folder-listing.js";
import { agentIdOf, owningSessionFile, sessionPaths } from "../../format/layout/session-paths.js";
import type { Database } from "../../store/sqlite.js";
import { type FileRow, isCurrent, isKnownInode, readFileRow, stateOfRow } from "../catalog/file-rows.js";
import type { Archive } from "../found-session.js";
import { isBelow } from "../sources/below-roots.js";
import { type LibraryFile, type LibraryWalk, toLibraryFile } from "../sources/walk-library.js";

/** How the files on disk differ from those of the index, by name and identity. */
export interface SyncPlan {
  readonly added: readonly LibraryFile[];
  readonly moved: readonly { readonly row: FileRow; readonly file: LibraryFile }[];
  readonly gone: readonly FileRow[];
}

/** What the plan needs to know of the disk besides the walk. */
export interface Disk {
  /** Files below other roots are kept: their drive may be unmounted. */
  readonly presentRoots: readonly string[];
  /** False only where it is certain: a file in an unreadable folder counts as existing. */
  mayExist(path: string): boolean;
}

export function planSync(
  walk: LibraryWalk,
  rows: ReadonlyMap<string, FileRow>,
  { presentRoots, mayExist }: Disk,
): SyncPlan {
  const seen = new Set(walk.files.map(({ path }) => path));
  const missing = [...rows.values()].filter(
    ({ path }) => !seen.has(path) && isBelow(path, presentRoots) && !mayExist(path),
  );
  const byIdentity = new Map(missing.map((row) => [identityOf(row), row]));
  const added: LibraryFile[] = [];
  const moved: { row: FileRow; file: LibraryFile }[] = [];
  for (const file of walk.files) {
    if (rows.has(file.path)) continue;
    const row = byIdentity.get(identityOf(file));
    if (row) moved.push({ row, file });
    else added.push(file);
    byIdentity.delete(identityOf(file));
  }
  const kept = new Set(moved.map(({ row }) => row.id));
  return { added, moved, gone: missing.filter(({ id }) => !kept.has(id)) };
}

/** A moved file keeps its name, which is the id of its session. */
function identityOf({ path, inode }: Pick<FileRow, "path" | "inode">): string {
  return `${inode} ${basename(path)}`;
}

/**
 * Sub-agent files outside session folders whose session has to be looked up again: those that changed, and those whose
 * project gained or lost a session. Some name two sessions and belong to the one that has a transcript.
 */
export function findUncertain(
  walk: LibraryWalk,
  rows: ReadonlyMap<string, FileRow>, // as they were before the sync
  { added, moved, gone }: SyncPlan,
): LibraryFile[] {
  const filled = walk.files.filter(({ path, size }) => (rows.get(path)?.size === 0) !== (size === 0));
  const sessions = [...added, ...moved.map(({ file }) => file), ...filled].filter(({ agent }) => !agent);
  const lost = [...gone, ...moved.map(({ row }) => row)].filter(({ agent_id }) => agent_id === null);
  const projects = new Set([...sessions, ...lost].map(({ path }) => dirname(path)));
  return walk.files.filter((file) => {
    const row = rows.get(file.path);
    if (!row || !file.agent || file.agent.owner !== undefined) return false;
    return projects.has(file.agent.projectDir) || !isCurrent(row, file);
  });
}

export interface AppendedFiles {
  readonly files: readonly LibraryFile[];
  /** New sub-agents in the folder of a session that the index knows. */
  readonly added: readonly LibraryFile[];
}

/** These files, if all of them only grew or are new sub-agents of a known session; undefined: a full walk is needed. */
export function findAppended(db: Database, paths: readonly string[], archive?: Archive): AppendedFiles | undefined {
  const files: LibraryFile[] = [];
  const added: LibraryFile[] = [];
  for (const path of paths) {
    const row = readFileRow(db, path);
    const file = row ? appendedFile(row, archive) : newAgent(db, path);
    if (!file) return undefined;
    if (!row) added.push(file);
    else if (!isCurrent(row, file)) files.push(file);
  }
  return { files, added };
}

function appendedFile(row: FileRow, beginnings: Archive | undefined): LibraryFile | undefined {
  const { path, agent_id, size, is_counted, problem, archive } = row;
  const isOwnerKnown = agent_id === null || isBelowItsSession(path);
  if (!isOwnerKnown || is_counted === 0 || problem !== null || archive !== null || size === 0) return undefined;
  const file = statLibraryFile(path, beginnings);
  const change = guessChange(stateOfRow(row), file);
  return change === "same" || change === "grown" ? file : undefined;
}

/** A file with a known inode may have been moved here, which only a full walk handles. */
function newAgent(db: Database, path: string): LibraryFile | undefined {
  if (!isBelowItsSession(path) || !readFileRow(db, owningSessionFile(path))) return undefined;
  const file = statLibraryFile(path, undefined);
  return file && file.size > 0 && !isKnownInode(db, file.inode) ? file : undefined;
}

/** Elsewhere only the records of a sub-agent name its session. */
function isBelowItsSession(path: string): boolean {
  return owningSessionFile(path) !== path;
}

/** Undefined where there is no such file. */
export function statLibraryFile(path: string, archive: Archive | undefined): LibraryFile | undefined {
  const stats = attempt(path, [], () => statSync(path));
  if (!stats?.isFile()) return undefined;
  const owner = owningSessionFile(path);
  const agentId = agentIdOf(basename(path));
  const agent = agentId === undefined ? undefined : { agentId, owner, projectDir: sessionPaths(owner).projectDir };
  return toLibraryFile(path, stats, { agent, archive });
}
