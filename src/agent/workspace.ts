import { existsSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { readIfReadable } from "../errors.js";
import { compareOpenFile, type KnownFile, knownFileOf } from "../format/identity/file-identity.js";
import { expandHome } from "../format/layout/path-forms.js";

export interface Todo {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly activeForm: string;
}

/** The folders that tools work in, and which files the model has read. */
export class Workspace {
  /** As they were when the model last read them. */
  readonly #seen = new Map<string, KnownFile>();
  readonly #roots: string[];
  #cwd: string;
  todos: readonly Todo[] = [];
  /** Variables of the settings for commands and hooks. */
  variables: Readonly<Record<string, string>> = {};

  constructor(
    readonly projectRoot: string,
    additionalRoots: readonly string[],
    readonly home: string,
  ) {
    this.#cwd = projectRoot;
    this.#roots = [projectRoot, ...additionalRoots].map((path) => realPath(path));
  }

  /** Where commands run. Falls back to the project folder if the directory no longer exists. */
  get cwd(): string {
    return existsSync(this.#cwd) ? this.#cwd : this.projectRoot;
  }

  set cwd(folder: string) {
    this.#cwd = folder;
  }

  get roots(): readonly string[] {
    return this.#roots;
  }

  /** The absolute path with links resolved as far as it exists. */
  resolve(path: string): string {
    return realPath(resolve(this.cwd, expandHome(path, this.home)));
  }

  /** The resolved path and the path as named: a deny rule may match either. */
  place(path: string): { readonly path: string; readonly named: string } {
    return { path: this.resolve(path), named: resolve(this.cwd, expandHome(path, this.home)) };
  }

  isInside(path: string): boolean {
    return this.#roots.some((root) => isWithin(path, root));
  }

  addRoot(path: string): void {
    this.#roots.push(realPath(path));
  }

  /** `file` is the open file at the path. */
  noteSeen(path: string, file: number): void {
    this.#seen.set(path, knownFileOf(file));
  }

  /** `unseen`: the model has not read it. `stale`: it changed since. */
  freshness(path: string, file: number): "fresh" | "stale" | "unseen" {
    const seen = this.#seen.get(path);
    if (!seen) return "unseen";
    return compareOpenFile(file, seen) === "same" ? "fresh" : "stale";
  }
}

export function isWithin(path: string, root: string): boolean {
  const inside = relative(root, path);
  return (
    inside === "" || !(inside === ".." || inside.startsWith("../") || inside.startsWith("..\\") || isAbsolute(inside))
  );
}

/** Resolves as programs do: `..` after a link is the parent of its target. Takes an absolute path; a final link stays. */
export function resolveAsPrograms(folder: string, path: string): string {
  if (!path.split("/").includes("..")) return resolve(folder, path);
  return path
    .split("/")
    .reduce(
      (place, part) => (part === ".." ? dirname(realPath(place)) : join(place, part)),
      path.startsWith("/") ? "/" : folder,
    );
}

const MAX_LINKS = 40;

/** Resolves the existing part of a path, including links to targets that do not exist yet. */
export function realPath(path: string, links = 0): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const place = join(realPath(parent, links), basename(path));
    const target = links < MAX_LINKS ? targetOf(place) : undefined;
    return target === undefined ? place : realPath(resolve(dirname(place), target), links + 1);
  }
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // not a link
  }
}

/** The checked-out branch as Claude Code records it: `HEAD` if there is none. Read from files: git is not run. */
export function readGitBranch(cwd: string): string {
  const gitDir = findGitDir(cwd);
  const head = gitDir === undefined ? undefined : readSmallFile(join(gitDir, "HEAD"));
  return /^ref: refs\/heads\/(.+)$/m.exec(head ?? "")?.[1] ?? "HEAD";
}

const MAX_POINTER_BYTES = 65_536;

/** A project can put a pipe there, which would be waited for. */
function readSmallFile(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() && stats.size <= MAX_POINTER_BYTES ? readIfReadable(path) : undefined;
}

/** The root of the repository; undefined outside of one. */
export function findGitRoot(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (exists(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // below a file, or in a folder that may not be entered
  }
}

function findGitDir(cwd: string): string | undefined {
  const root = findGitRoot(cwd);
  if (root === undefined) return undefined;
  const path = join(root, ".git");
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  // In a worktree `.git` is a file with the path of the real folder.
  const pointer = /^gitdir: (.+)$/m.exec(readSmallFile(path) ?? "")?.[1];
  return pointer === undefined || pointer.includes("\0") ? undefined : resolve(root, pointer.trim());
}
