import { basename, dirname } from "node:path";
import { type FileRow, isCurrent } from "./file-row.js";
import type { LibraryFile } from "./library-file.js";
import { isBelow } from "./scope.js";
import type { LibraryWalk } from "./walk-library.js";

/** How the files of the index differ from those on disk, by name and identity. */
export interface SyncPlan {
  readonly added: readonly LibraryFile[];
  readonly moved: readonly { readonly row: FileRow; readonly file: LibraryFile }[];
  readonly gone: readonly FileRow[];
}

/** What of the disk the plan needs to know besides the walk. */
export interface Disk {
  /** Roots of drives that are not there now keep their files. */
  readonly presentRoots: readonly string[];
  /** False only where it is certain: a file in a folder that cannot be entered now is not gone. */
  isThere(path: string): boolean;
}

export function planSync(
  walk: LibraryWalk,
  rows: ReadonlyMap<string, FileRow>,
  { presentRoots, isThere }: Disk,
): SyncPlan {
  const seen = new Set(walk.files.map(({ path }) => path));
  const missing = [...rows.values()].filter(
    ({ path }) => !seen.has(path) && isBelow(path, presentRoots) && !isThere(path),
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

/** A file that moves keeps its name, which is the name of its session. */
function identityOf({ path, inode }: Pick<FileRow, "path" | "inode">): string {
  return `${inode} ${basename(path)}`;
}

/**
 * The files whose session is to be found again: sub-agents beside sessions that changed, or whose project got or lost a
 * session, as some name two and belong to the one that was written.
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
