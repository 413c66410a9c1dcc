import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isFileError, readIfPresent } from "../../errors.js";
import { type CopiedSettings, isHarmlessConfiguration, readCopiedSettings } from "./repository-settings.js";
import { findRunByGit } from "./run-by-git.js";
import { staysInWorkTree } from "./tracked-names.js";

/** A repository whose data lie where they seem to lie. */
export interface Repository {
  /** The folder with `.git`. */
  readonly root: string;
  readonly gitDir: string;
  readonly settings: CopiedSettings;
}

/**
 * The repository of a folder; undefined where there is none, or where it is not an ordinary one. Everything that git could take
 * for a repository on the way up counts, so that a repository in a repository is not passed over.
 */
export function findRepository(folder: string): Repository | undefined {
  for (let place = resolve(folder); ; place = dirname(place)) {
    if (kindOf(join(place, ".git")) !== undefined) return openRepository(place);
    if (looksBare(place) || place === dirname(place)) return undefined;
  }
}

/** `HEAD` may be a link to nothing: git accepts that. */
function looksBare(folder: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => kindOf(join(folder, name)) !== undefined);
}

function openRepository(root: string): Repository | undefined {
  const gitDir = join(root, ".git");
  try {
    if (looksBare(root) || !isOrdinary(gitDir)) return undefined;
    const settings = readCopiedSettings(readIfPresent(join(gitDir, "config")) ?? "");
    return settings && staysInWorkTree(root, gitDir, settings) ? { root, gitDir, settings } : undefined;
  } catch (error) {
    if (isFileError(error)) return undefined; // what cannot be read cannot be checked
    throw error;
  }
}

/** Whether git, working in this repository, would run no program of it. `gitDir` is the folder `.git`, or a bare repository. */
export function isHarmlessRepository(gitDir: string): boolean {
  try {
    const kind = (name: string) => kindOf(join(gitDir, name));
    if (kindOf(gitDir) !== "folder" || findRunByGit(gitDir).length > 0) return false;
    if (![undefined, "file"].includes(kind("config")) || ![undefined, "folder"].includes(kind("hooks"))) return false;
    const hooks = kind("hooks") === "folder" ? readdirSync(join(gitDir, "hooks")) : [];
    return (
      hooks.every((name) => name.endsWith(".sample")) &&
      isHarmlessConfiguration(readIfPresent(join(gitDir, "config")) ?? "")
    );
  } catch (error) {
    if (isFileError(error)) return false; // what cannot be read cannot be checked
    throw error;
  }
}

type Kind = "file" | "folder" | "other";

function kindOf(path: string): Kind | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats && entryKind(stats);
  } catch (error) {
    if (isFileError(error)) return "other";
    throw error;
  }
}

function entryKind(entry: Pick<Dirent, "isFile" | "isDirectory">): Kind {
  if (entry.isFile()) return "file";
  return entry.isDirectory() ? "folder" : "other";
}

/** Present in a worktree, a submodule, or a format that is not known here. */
const FOREIGN = ["commondir", "gitdir", "reftable"];

function isOrdinary(gitDir: string): boolean {
  const kind = (name: string) => kindOf(join(gitDir, name));
  if (kindOf(gitDir) !== "folder" || kind("HEAD") !== "file") return false;
  if (kind("objects") !== "folder" || kind("refs") !== "folder") return false;
  if (FOREIGN.some((name) => kind(name) !== undefined)) return false;
  const read = [...READ_FILES.map((name) => [name, "file"]), ...READ_FOLDERS.map((name) => [name, "folder"])];
  if (read.some(([name = "", wanted]) => ![undefined, wanted].includes(kind(name)))) return false;
  const budget = { entries: MAX_ENTRIES };
  return READ_FOLDERS.every((name) => hasNoLinks(join(gitDir, name), budget)) && !hasAlternates(gitDir);
}

/** What a shadow may show of a repository. `config`, `config.worktree`, `hooks`, `modules` and `info/grafts` are not among it. */
export const COPIED_FILES = ["HEAD", "index"];
export const LINKED_FILES = [
  "packed-refs",
  "shallow",
  "info/exclude",
  "ORIG_HEAD",
  "FETCH_HEAD",
  "MERGE_HEAD",
  "MERGE_MODE",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "BISECT_LOG",
  "BISECT_START",
];
export const LINKED_FOLDERS = ["objects", "refs", "logs", "rebase-merge", "rebase-apply", "sequencer"];

const READ_FILES = [...COPIED_FILES, ...LINKED_FILES, "config"];
const READ_FOLDERS = [...LINKED_FOLDERS, "info"];

/** Git packs loose objects before there are so many; a shadow of more would take too long to check. */
const MAX_ENTRIES = 200_000;

/** A link in git's data could show files of other repositories. */
function hasNoLinks(folder: string, budget: { entries: number }): boolean {
  if (kindOf(folder) === undefined) return true;
  return readdirSync(folder, { withFileTypes: true }).every((entry) => {
    budget.entries -= 1;
    const kind = entryKind(entry);
    if (budget.entries < 0 || kind === "other") return false;
    return kind === "file" || hasNoLinks(join(folder, entry.name), budget);
  });
}

/** Objects of other folders, which may be anybody's. */
function hasAlternates(gitDir: string): boolean {
  return (readIfPresent(join(gitDir, "objects", "info", "alternates")) ?? "").trim() !== "";
}
