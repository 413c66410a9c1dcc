import { createHash } from "node:crypto";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openShadowGit } from "../../../src/agent/git/shadow-git.js";
import { readTrackedNames } from "../../../src/agent/git/tracked-names.js";
import { copyOf, git, makeRepository, write } from "./make-repository.js";

const ordinary = makeRepository();
const SECRET = "hidden words";

/** Beside it is a file that the project must not show. */
function makeOpen(version: number): string {
  const repository = copyOf(ordinary);
  write(repository, "../outside/s", `${SECRET}\n`);
  git(repository, "update-index", "--index-version", String(version));
  return repository;
}

/** Writes a name into the index that git itself would refuse to add. */
function patchIndex(repository: string, from: string, to: string): void {
  const blob = git(repository, "rev-parse", "HEAD:a.txt").trim();
  git(repository, "update-index", "--add", "--cacheinfo", `100644,${blob},${from}`);
  const path = join(repository, ".git/index");
  const index = readFileSync(path);
  index.write(to, index.indexOf(from), "latin1");
  createHash("sha1")
    .update(index.subarray(0, -20))
    .digest()
    .copy(index, index.length - 20);
  writeFileSync(path, index);
}

describe.each([2, 4])("an index of version %i", (version) => {
  test("that names a file outside of the work tree gives no shadow, although git would print that file", () => {
    const repository = makeOpen(version);
    patchIndex(repository, "-./outside/s", "../outside/s");
    expect(git(repository, "grep", "hidden")).toContain(SECRET);
    expect(openShadowGit(repository)).toBeUndefined();
  });

  test("that names a file in a folder that became a link gives no shadow, although git would print that file", () => {
    const repository = makeOpen(version);
    write(repository, "deep/d/s", "mine\n");
    git(repository, "add", "deep");
    rmSync(join(repository, "deep/d"), { recursive: true });
    symlinkSync("../../outside", join(repository, "deep/d"));
    expect(git(repository, "grep", "hidden")).toContain(SECRET);
    expect(openShadowGit(repository)).toBeUndefined();
  });

  test.each(["/tmp/outside", "-/./outside/", ".git/config1", "-/.GIT/confi", "-//outside/s"])("refuses %s", (name) => {
    const repository = makeOpen(version);
    patchIndex(repository, "-./outside/s", name);
    expect(openShadowGit(repository)).toBeUndefined();
  });

  test("is read as git reads it", () => {
    const repository = makeOpen(version);
    const long = `${"l".repeat(200)}/`.repeat(22);
    const blob = git(repository, "rev-parse", "HEAD:a.txt").trim();
    for (const name of ["deep/er/a", "deep/er/ab", "deep/b", "naïve", "z".repeat(200), `${long}x`, `${long}y`])
      git(repository, "update-index", "--add", "--cacheinfo", `100644,${blob},${name}`);
    write(repository, "later.txt", "");
    git(repository, "add", "--intent-to-add", "later.txt"); // flags that make version 2 a version 3
    const names = git(repository, "ls-files", "-z").split("\0").slice(0, -1);
    expect(names.length).toBeGreaterThan(10);
    expect(readTrackedNames(readFileSync(join(repository, ".git/index")), 20)).toEqual(names);
  });

  test("gives a shadow where tracked folders are gone or files, or a file is a link", () => {
    const repository = makeOpen(version);
    for (const name of ["gone/a", "file/a", "link"]) write(repository, name, "");
    git(repository, "add", ".");
    for (const name of ["gone", "file", "link"]) rmSync(join(repository, name), { recursive: true });
    write(repository, "file", "");
    symlinkSync("../outside/s", join(repository, "link"));
    const shadow = openShadowGit(repository);
    onTestFinished(() => shadow?.close());
    expect(shadow).toBeDefined();
  });
});

test("a shared index counts too, and one that is damaged gives no shadow", () => {
  const repository = makeOpen(2);
  patchIndex(repository, "-./outside/s", "-./outside/s");
  git(repository, "update-index", "--split-index");
  const shadow = openShadowGit(repository);
  onTestFinished(() => shadow?.close());
  expect(shadow).toBeDefined();
  symlinkSync("..", join(repository, "-."));
  expect(openShadowGit(repository)).toBeUndefined();
  rmSync(join(repository, "-."));
  writeFileSync(join(repository, ".git/index"), readFileSync(join(repository, ".git/index")).subarray(0, 8));
  expect(openShadowGit(repository)).toBeUndefined();
});
