import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
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

/** A file, folder or link. */
export interface TreeItem {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly mode: number;
  readonly size: number; // 0 for folders
  readonly mtimeMs: number;
  readonly inode: number;
}

export interface TreeOptions {
  /**
   * `keep` (the default): a link is an item of its own and is not entered, for moving and deleting. `follow`: a linked
   * folder is entered as a folder, each real one once, and a linked file is an item of kind `link`, for reading and copying.
   */
  readonly links?: "keep" | "follow";
  /** Where unreadable folders and dead links are noted. Without it a folder that cannot be listed is an error. */
  readonly problems?: FileProblem[];
}

/** What is at a path and all below it, a folder before what it holds; nothing where nothing is there. */
export function listTree(path: string, options: TreeOptions = {}, entered: Set<string> = new Set()): TreeItem[] {
  const problems = options.problems ?? [];
  const own = attempt(path, problems, () => lstatSync(path));
  const isLink = own?.isSymbolicLink() ?? false;
  const target = isLink && options.links === "follow" ? linkTarget(path, problems) : own;
  if (!own || !target) return [];
  const { mode, size, mtimeMs, ino } = target;
  const item = { path, mode, size, mtimeMs, inode: ino };
  if (isLink && !target.isDirectory()) return [{ ...item, kind: "link" }];
  if (target.isFile()) return [{ ...item, kind: "file" }];
  if (!target.isDirectory() || (options.links === "follow" && !isFirstVisit(path, entered, problems))) return [];
  const list = () => readdirSync(path).sort();
  const names = options.problems ? (attempt(path, problems, list) ?? []) : list();
  const below = names.flatMap((name) => listTree(join(path, name), options, entered));
  return [{ ...item, kind: "folder", size: 0 }, ...below];
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

/** Undefined where the path cannot be read, which is noted as a problem. */
export function isFolder(path: string, problems: FileProblem[]): boolean | undefined {
  return attempt(path, problems, () => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

/** False only where it is certain: a file in a folder that cannot be entered now may exist. */
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
