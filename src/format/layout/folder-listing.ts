import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, sep } from "node:path";
import { isFileError, reasonOf } from "../../errors.js";

/** What could not be read. One bad entry never hides the others. */
export interface FileProblem {
  readonly path: string;
  readonly reason: string;
}

export interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly kind: "file" | "folder" | "other";
  /** Links are followed: `kind` is that of their target. */
  readonly isLink: boolean;
}

export interface FolderListing {
  readonly entries: readonly FolderEntry[];
  readonly problems: readonly FileProblem[];
}

/** The entries of a folder by name; of a folder that does not exist, none. */
export function listFolder(folder: string): FolderListing {
  const problems: FileProblem[] = [];
  const entries: FolderEntry[] = [];
  const start = join(folder, sep);
  for (const entry of readEntries(folder, problems)) {
    const path = start + entry.name;
    const isLink = entry.isSymbolicLink();
    const target = isLink ? linkTarget(path, problems) : entry;
    if (target) entries.push({ name: entry.name, path, kind: kindOf(target), isLink });
  }
  return { entries: entries.sort((a, b) => compareNames(a.name, b.name)), problems };
}

/** All files below a folder. Each real folder is entered once, so links cannot make a loop. */
export function findFiles(folder: string): FolderListing {
  const problems: FileProblem[] = [];
  const files: FolderEntry[] = [];
  const entered = new Set<string>();
  const isThere = attempt(folder, problems, () => statSync(folder, { throwIfNoEntry: false })) !== undefined;
  const open = isThere ? [folder] : []; // most sessions have no such folder, and an exception is slow
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isFirstVisit(next, entered, problems)) continue;
    const listing = listFolder(next);
    problems.push(...listing.problems);
    files.push(...listing.entries.filter(({ kind }) => kind === "file"));
    open.push(...listing.entries.filter(({ kind }) => kind === "folder").map(({ path }) => path));
  }
  return { entries: files.sort((a, b) => compareNames(a.path, b.path)), problems };
}

/** Runs one file operation; what fails because of the file becomes a problem and undefined, a missing file undefined. */
export function attempt<T>(path: string, problems: FileProblem[], operation: () => T): T | undefined {
  try {
    return operation();
  } catch (error) {
    if (!isFileError(error)) throw error;
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") problems.push({ path, reason: reasonOf(error) });
    return undefined;
  }
}

/** Undefined where it cannot be told, which is a problem. */
export function isFolder(path: string, problems: FileProblem[]): boolean | undefined {
  return attempt(path, problems, () => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

/** False only where it is certain: what lies in a folder that cannot be entered now is there. */
export function mayExist(path: string): boolean {
  const problems: FileProblem[] = [];
  return attempt(path, problems, () => statSync(path)) !== undefined || problems.length > 0;
}

function readEntries(folder: string, problems: FileProblem[]): Dirent[] {
  return attempt(folder, problems, () => readdirSync(folder, { withFileTypes: true })) ?? [];
}

function linkTarget(path: string, problems: FileProblem[]): Stats | undefined {
  const stats = attempt(path, problems, () => statSync(path, { throwIfNoEntry: false }) ?? null);
  if (stats === null) problems.push({ path, reason: "the link leads nowhere" });
  return stats ?? undefined;
}

function kindOf(target: Dirent | Stats): FolderEntry["kind"] {
  if (target.isFile()) return "file";
  return target.isDirectory() ? "folder" : "other";
}

function isFirstVisit(folder: string, entered: Set<string>, problems: FileProblem[]): boolean {
  const real = attempt(folder, problems, () => realpathSync.native(folder));
  if (real === undefined || entered.has(real)) return false;
  entered.add(real);
  return true;
}

/** By code units: the same order on every machine. */
function compareNames(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
