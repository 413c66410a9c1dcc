import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readGitBranch } from "../../src/agent/workspace.js";
import { makeFolder } from "./git/make-repository.js";

/** Who reads the pipe would wait for ever: something is written to it after a while, so that the test ends. */
function makePipe(path: string): void {
  execFileSync("mkfifo", [path]);
  spawnSync("bash", [
    "-c",
    `(sleep 2; timeout 2 bash -c 'echo ref: refs/heads/waited > "$0"' "$0") >/dev/null 2>&1 &`,
    path,
  ]);
}

test("the branch is not read from a pipe", () => {
  const folder = makeFolder();
  makePipe(join(folder, "pipe"));
  mkdirSync(join(folder, "a/.git"), { recursive: true });
  symlinkSync("../../pipe", join(folder, "a/.git/HEAD"));
  expect(readGitBranch(join(folder, "a"))).toBe("HEAD");
});

test("nor is the place of a worktree", () => {
  const folder = makeFolder();
  makePipe(join(folder, ".git"));
  const start = Date.now();
  expect(readGitBranch(folder)).toBe("HEAD");
  expect(Date.now() - start).toBeLessThan(1_500);
});

test("it is read through a link to a file", () => {
  const folder = makeFolder();
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, "head"), "ref: refs/heads/trunk\n");
  symlinkSync("../head", join(folder, ".git/HEAD"));
  expect(readGitBranch(folder)).toBe("trunk");
});
