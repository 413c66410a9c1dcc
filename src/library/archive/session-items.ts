import { chmodSync, existsSync, lstatSync, readdirSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../../errors.js";
import { attempt } from "../../format/layout/folder-listing.js";
import { findSubagentFiles } from "../../format/layout/session-files.js";
import { sessionPaths, subagentMetaFile } from "../../format/layout/session-paths.js";
import { makeFolder } from "../../store/make-folder.js";
import { isSameContent, isThere, moveBack } from "../../store/move-file.js";
import type { FoundSession } from "../found-session.js";

/** A file, folder or link that belongs to a session. */
export interface SessionItem {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly mode: number;
  readonly size: number; // 0 for folders
  readonly mtimeMs: number;
}

/**
 * All that clients wrote for one session: its transcript first, then sub-agents, spilled tool output and backups of edited
 * files; a folder before what it holds. Links are items themselves and not followed.
 */
export function listSessionItems({ path, root, sharedSubagents }: FoundSession): SessionItem[] {
  const { sideDir, fileHistoryDir } = sessionPaths(path);
  const shared = findSubagentFiles(path, sharedSubagents()).subagents.filter(({ place }) => place !== "session-folder");
  const besides = shared.flatMap((agent) => [agent.path, subagentMetaFile(agent.path)]);
  return [path, ...besides, sideDir, fileHistoryDir(root)].flatMap(itemsAt);
}

export function itemsAt(path: string): SessionItem[] {
  const stats = attempt(path, [], () => lstatSync(path));
  if (!stats) return [];
  const { mode, size, mtimeMs } = stats;
  if (stats.isSymbolicLink()) return [{ path, kind: "link", mode, size, mtimeMs }];
  if (stats.isFile()) return [{ path, kind: "file", mode, size, mtimeMs }];
  if (!stats.isDirectory()) return [];
  return [
    { path, kind: "folder", mode, size: 0, mtimeMs },
    ...readdirSync(path)
      .sort()
      .flatMap((name) => itemsAt(join(path, name))),
  ];
}

/** Items whose contents are stored in a folder under other names. */
export interface StoredItems {
  readonly folder: string;
  readonly items: readonly (SessionItem & { readonly stored: string | null })[];
}

/**
 * Restores all items with their modes and times, the transcript last. Refuses before changing anything if another file
 * is in the way. Returns the paths that have no stored content left.
 */
export function restoreItems({ folder, items }: StoredItems): readonly string[] {
  const folders = items.filter(({ stored }) => stored === null);
  const files = items.flatMap(({ path, stored }) => (stored === null ? [] : [{ path, from: join(folder, stored) }]));
  for (const { path } of folders) if (isThere(path) && !lstatSync(path).isDirectory()) throw occupied(path);
  const stored = files.filter(({ from }) => isThere(from));
  for (const { path, from } of stored) if (isThere(path) && !isSameContent(from, path)) throw occupied(path);
  const missing = files.filter(({ path, from }) => !isThere(from) && !isThere(path)).map(({ path }) => path);

  for (const { path } of folders) makeFolder(path);
  for (const { path, from } of stored.toReversed()) {
    makeFolder(dirname(path));
    moveBack(from, path);
  }
  for (const item of folders.toReversed()) if (existsSync(item.path)) setFolderFacts(item);
  return missing;
}

function occupied(path: string): UserError {
  return new UserError("exists", `${path} already exists`, "move it away first; nothing was changed");
}

function setFolderFacts({ path, mode, mtimeMs }: SessionItem): void {
  chmodSync(path, mode & 0o7777);
  utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
}
