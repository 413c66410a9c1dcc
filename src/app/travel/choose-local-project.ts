import { lstatSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { BundledProject } from "../../edit/travel/bundle/manifest.js";
import { UserError } from "../../errors.js";
import { findGitPlace } from "../../format/git/git-remotes.js";
import { homeFolder } from "../../own-user.js";

export interface LocalProject {
  readonly folder: string;
  /** How it was found: named by the user, by its git remote, or at the same place below the home folder. */
  readonly by: "name" | "remote" | "place";
}

/**
 * The folder of this machine that is the project of a bundle. `known`: folders that sessions worked in, and the current one
 * first. A folder that the user names is taken as it is.
 */
export function chooseLocalProject(
  project: BundledProject,
  known: readonly string[],
  { named, cwd }: { readonly named?: string | undefined; readonly cwd: string },
): LocalProject {
  if (named !== undefined) return { folder: resolve(cwd, named), by: "name" };
  const matches = findByRemote(project.remote, [cwd, ...known]);
  const [first, ...others] = matches;
  if (first !== undefined && (others.length === 0 || isInRepositoryOf(cwd, first)))
    return { folder: first, by: "remote" };
  if (first !== undefined) {
    const hint = `choose one with --project: ${matches.join(", ")}`;
    throw new UserError("ambiguous", `several folders have the git remote ${project.remote}`, hint);
  }
  const same = samePlace(project);
  if (same !== undefined) return { folder: same, by: "place" };
  const what = project.remote === null ? `the project ${project.folder}` : `the git remote ${project.remote}`;
  throw new UserError("not-found", `no folder with ${what} is known here`, "name the folder with --project");
}

/** Folders with this remote, each at the place inside of its repository that the remote names; worktrees only if nothing else is. */
function findByRemote(remote: string | null, folders: readonly string[]): string[] {
  const [identity, inside = ""] = (remote ?? "").split("//");
  if (remote === null || identity === undefined) return [];
  const roots = folders.flatMap((folder) => {
    const place = findGitPlace(folder);
    return place?.remotes.some((one) => one.identity === identity) ? [place.root] : [];
  });
  const found = [...new Set(roots)].filter((root) => isFolder(join(root, inside)));
  const repositories = found.filter((root) => isRepository(root));
  return (repositories.length > 0 ? repositories : found).map((root) => join(root, inside));
}

/** A worktree has a file that leads to its repository. */
function isRepository(root: string): boolean {
  return lstatSync(join(root, ".git"), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isInRepositoryOf(cwd: string, folder: string): boolean {
  const root = findGitPlace(cwd)?.root;
  return root !== undefined && root === findGitPlace(folder)?.root;
}

/** `{home}/work/shop`, where that is a folder here and no repository with another remote. */
function samePlace({ folder, remote }: BundledProject): string | undefined {
  const below = /^\{home\}\/(.+)$/.exec(folder)?.[1];
  if (below === undefined || below.split("/").includes("..")) return undefined;
  const local = join(homeFolder(), below);
  if (!isFolder(local)) return undefined;
  return remote === null || (findGitPlace(local)?.remotes.length ?? 0) === 0 ? local : undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
