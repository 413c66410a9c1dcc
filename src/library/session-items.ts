import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findSubagentFiles } from "../format/find-subagents.js";
import { attempt } from "../format/folder-listing.js";
import { sessionPaths, subagentMetaFile } from "../format/layout.js";
import type { FoundSession } from "./found-session.js";

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
