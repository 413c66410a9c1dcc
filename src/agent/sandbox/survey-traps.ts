import { type BigIntStats, type Dirent, lstatSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isFileError, readIfReadable } from "../../errors.js";
import { isHarmlessRepository } from "../git/repository.js";
import { readHooksPath } from "../git/repository-settings.js";
import { findRunByGit, RUNS_PROGRAMS } from "../git/run-by-git.js";
import { isRunHere } from "../permissions/guarded-path.js";
import { isWithin } from "../workspace.js";

/** What other programs would run by themselves, in the folders that commands in the sandbox may write to. */
export interface Survey {
  /** Each with its identity; of a folder that is run as a whole only the folder. */
  readonly found: ReadonlyMap<string, string>;
  /** `.git` folders and bare repositories, and what makes them repositories. */
  readonly repositories: ReadonlyMap<string, string>;
  /** Those by which git would run a program. */
  readonly harmful: ReadonlySet<string>;
  /** The folders that were looked into. */
  readonly folders: ReadonlySet<string>;
}

/** Deep in very large projects nothing is looked at. */
const MAX_FOLDERS = 5_000;
/** Packages bring such files by the hundreds, and nobody works in their folders. */
const NOT_SURVEYED = "node_modules";

/** Has the name of what was put aside. */
const IS_ASIDE = /\.sandboxed(?:-\d+)?$/;

export function asideName(name: string, number: number): string {
  return number === 1 ? `${name}.sandboxed` : `${name}.sandboxed-${number}`;
}

/** Folders that are `known` come first, so that many new ones cannot hide them. */
export function surveyTraps(
  roots: readonly string[],
  known: ReadonlySet<string> = new Set(),
  maxFolders = MAX_FOLDERS,
): Survey {
  const surveyor = new Surveyor(known, maxFolders);
  for (const root of roots) surveyor.walk(root);
  return surveyor;
}

class Surveyor implements Survey {
  readonly found = new Map<string, string>();
  readonly repositories = new Map<string, string>();
  readonly harmful = new Set<string>();
  readonly folders = new Set<string>();

  constructor(
    private readonly known: ReadonlySet<string>,
    private readonly maxFolders: number,
  ) {}

  walk(root: string): void {
    const queue = [root];
    const later: string[] = [];
    const next = () => queue.shift() ?? (this.folders.size < this.maxFolders ? later.shift() : undefined);
    for (let folder = next(); folder !== undefined; folder = next()) {
      if (this.folders.has(folder)) continue;
      this.folders.add(folder);
      for (const below of this.#lookInto(folder, root)) (this.known.has(below) ? queue : later).push(below);
    }
  }

  /** Returns the folders in it that are to be looked into. */
  #lookInto(folder: string, root: string): readonly string[] {
    const entries = entriesOf(folder).filter(({ name }) => !IS_ASIDE.test(name));
    const names = new Set(entries.map(({ name }) => name));
    const isBare = ["HEAD", "objects", "refs"].every((name) => names.has(name));
    if (isBare) this.#lookIntoRepository(folder, join(folder, "HEAD"));
    return entries.flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.name === ".git") {
        this.#lookIntoRepository(path, path);
        this.#noteHooks(folder, path);
      } else if (isRunHere(path.slice(root.length))) this.#note(path);
      else if (entry.isDirectory() && entry.name !== NOT_SURVEYED) return [path];
      return [];
    });
  }

  /** `mark`: what makes it a repository. */
  #lookIntoRepository(gitDir: string, mark: string): void {
    this.#note(mark);
    this.repositories.set(gitDir, mark);
    if (!isHarmlessRepository(gitDir)) this.harmful.add(gitDir);
    for (const name of [...findRunByGit(gitDir), "config", "hooks"]) this.#note(join(gitDir, name));
  }

  /** Hooks may be among the files of the project. */
  #noteHooks(folder: string, gitDir: string): void {
    const config = join(gitDir, "config");
    const path = statsOf(config)?.isFile() ? readHooksPath(readIfReadable(config) ?? "") : undefined;
    if (path === undefined) return;
    const hooks = resolve(folder, path);
    if (hooks !== folder && isWithin(hooks, folder)) this.#note(hooks);
  }

  #note(path: string): void {
    const stats = statsOf(path);
    if (stats) this.found.set(path, identityOf(stats));
  }
}

const GIT_RUNS = [...RUNS_PROGRAMS, "branches", "rebase-merge", "sequencer", "config", "hooks"];

export interface Trap {
  readonly path: string;
  readonly identity: string;
}

/**
 * What is new since `before`, and must be put aside. A new repository may stay if it is harmless. What only moved is not new. A link
 * cannot be made read-only, so another thing in its place is.
 */
export function newTraps(before: Pick<Survey, "found">, now: Survey): readonly Trap[] {
  const known = new Set([...before.found].map(([path, identity]) => `${basename(path)} ${identity}`)); // may have moved with its folder
  const isNew = (path: string) => {
    const [then, identity] = [before.found.get(path), now.found.get(path) ?? ""];
    return then === undefined
      ? !known.has(`${basename(path)} ${identity}`)
      : then.startsWith(LINK) && then !== identity;
  };
  const newRepositories = [...now.repositories].filter(([, mark]) => isNew(mark));
  const ofNew = new Set(
    newRepositories.flatMap(([gitDir, mark]) => [mark, ...GIT_RUNS.map((name) => join(gitDir, name))]),
  );
  const harmful = new Set(newRepositories.flatMap(([gitDir, mark]) => (now.harmful.has(gitDir) ? [mark] : [])));
  return [...now.found]
    .filter(([path]) => harmful.has(path) || (isNew(path) && !ofNew.has(path)))
    .map(([path, identity]) => ({ path, identity }));
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isFileError(error)) return []; // it is gone, or must not be read
    throw error;
  }
}

/** A link to nothing counts too. */
export function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
}

const LINK = "link ";

export function identityOf(stats: BigIntStats): string {
  return `${stats.isSymbolicLink() ? LINK : ""}${stats.dev}:${stats.ino}`;
}
