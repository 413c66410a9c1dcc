import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export function git(cwd: string, ...args: readonly string[]): string {
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export function write(folder: string, name: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), mode);
}

export const makeFolder = () => realpathSync(mkdtempSync(join(tmpdir(), "git-")));

/** Two commits, a tag, a stash, a changed, a staged and an untracked file, and attributes that name drivers. */
export function makeRepository(): string {
  const repository = join(makeFolder(), "repository");
  mkdirSync(repository);
  git(repository, "init", "--quiet");
  write(repository, "a.txt", "one\ntwo\n");
  write(repository, "b.x", "b\n");
  write(repository, ".gitattributes", "*.x filter=x diff=x merge=x\n");
  git(repository, "add", ".");
  git(repository, "commit", "--quiet", "--message", "First");
  git(repository, "tag", "-a", "v1", "-m", "One");
  write(repository, "b.x", "stashed\n");
  git(repository, "stash", "--quiet");
  write(repository, "a.txt", "one\n2\n");
  git(repository, "commit", "--quiet", "--all", "--message", "Second");
  write(repository, "b.x", "changed\n");
  write(repository, "c.x", "staged\n");
  git(repository, "add", "c.x");
  write(repository, "c.x", "staged, changed\n");
  write(repository, "new.x", "new\n");
  return repository;
}

export function copyOf(repository: string): string {
  const copy = join(makeFolder(), "repository");
  cpSync(repository, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

export type Setting = readonly [name: string, value: string];
export const set = (folder: string, ...settings: readonly Setting[]) => {
  for (const [name, value] of settings) git(folder, "config", "--add", name, value);
};
