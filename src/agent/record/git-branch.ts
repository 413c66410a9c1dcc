import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The branch that is checked out, as the client notes it: `HEAD` where there is none. */
export function readGitBranch(cwd: string): string {
  const gitDir = findGitDir(cwd);
  const head = gitDir === undefined ? undefined : readIfPresent(join(gitDir, "HEAD"));
  return /^ref: refs\/heads\/(.+)$/m.exec(head ?? "")?.[1] ?? "HEAD";
}

/** The folder above which nothing belongs to the project; undefined outside of a repository. */
export function findGitRoot(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (statSync(join(folder, ".git"), { throwIfNoEntry: false })) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function findGitDir(cwd: string): string | undefined {
  const root = findGitRoot(cwd);
  if (root === undefined) return undefined;
  const path = join(root, ".git");
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  // In a worktree `.git` is a file that says where the real folder lies.
  const pointer = /^gitdir: (.+)$/m.exec(readIfPresent(path) ?? "")?.[1];
  return pointer === undefined ? undefined : resolve(root, pointer.trim());
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // gone since we looked, or not ours to read
  }
}
