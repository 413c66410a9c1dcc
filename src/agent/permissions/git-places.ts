import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { realPath } from "../workspace.js";

/** Names of git's own files: loose objects and packs, wherever they were copied to. */
const OBJECT = /\/[\da-f]{2}\/[\da-f]{38}(?:[\da-f]{24})?$|\/pack-[\da-f]{40,64}\.\w+$|\.bundle$/i;

/** Whether a path says that it leads into git's own data. */
export function hasGitName(path: string): boolean {
  return /\/\.git(?:\/|$)/i.test(path) || OBJECT.test(path);
}

/**
 * Whether a path leads into git's own data, where every version of every tracked file is, under names that no rule knows: `.git`
 * (worktrees and submodules included), bare repositories and folders of objects, whatever they are called.
 */
export function isInGitData(path: string): boolean {
  return [...new Set([path, realPath(path)])].some((place) => hasGitName(place) || isBelowGitFolder(place));
}

function isBelowGitFolder(path: string): boolean {
  for (let place = path; ; place = dirname(place)) {
    const holds = (...names: readonly string[]) => names.every((name) => isThere(join(place, name)));
    if (holds("HEAD", "objects", "refs") || holds("HEAD", "commondir") || holds("pack", "info")) return true;
    if (place === dirname(place)) return false;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // below a file, or in a folder that may not be entered
  }
}
