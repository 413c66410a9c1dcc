import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findGitPlace, projectIdentity } from "../../../src/format/git/git-remotes.js";
import { temporaryFolder } from "../temporary-folder.js";

const HEAD = "ref: refs/heads/main\n";
const originOf = (url: string) => `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n`;
const SHOP = originOf("git@github.com:acme/shop.git");

const git = (cwd: string, ...args: string[]) =>
  execFileSync(
    "git",
    ["-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@example.org", ...args],
    {
      cwd,
      stdio: "pipe",
      env: { ...process.env, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" },
    },
  );

describe("the project of a folder", () => {
  test("is its repository and the path in it, however deep", () => {
    const folder = temporaryFolder({ ".git/HEAD": HEAD, ".git/config": SHOP, "packages/cart/a.ts": "" });
    expect(projectIdentity(folder)).toBe("github.com/acme/shop");
    expect(projectIdentity(join(folder, "packages", "cart"))).toBe("github.com/acme/shop//packages/cart");
    expect(findGitPlace(join(folder, "packages"))).toMatchObject({ root: folder, inside: "packages" });
  });

  test("in worktrees and submodules that git made is that of their remote", () => {
    const folder = temporaryFolder({ "shop/a.txt": "a", "library/b.txt": "b" });
    const [shop, library] = [join(folder, "shop"), join(folder, "library")];
    for (const cwd of [shop, library]) {
      git(cwd, "init", "-q");
      git(cwd, "add", ".");
      git(cwd, "commit", "-qm", "first");
    }
    git(shop, "remote", "add", "origin", "https://github.com/acme/shop");
    git(shop, "worktree", "add", "-q", join(folder, "other"));
    git(shop, "submodule", "--quiet", "add", library, "vendored");
    git(join(shop, "vendored"), "remote", "set-url", "origin", "git@github.com:acme/library.git");
    expect(projectIdentity(join(folder, "other"))).toBe("github.com/acme/shop");
    expect(findGitPlace(join(folder, "other"))?.root).toBe(join(folder, "other"));
    expect(projectIdentity(join(shop, "vendored"))).toBe("github.com/acme/library");
  });

  test("is named by origin, else by upstream, else by the first remote", () => {
    const remotes = (...names: string[]) =>
      names.map((name) => `[remote "${name}"]\nurl = host.example:${name}\n`).join("");
    const folder = temporaryFolder({ ".git/HEAD": HEAD, ".git/config": remotes("fork", "upstream", "origin") });
    expect(findGitPlace(folder)?.remotes.map(({ name }) => name)).toEqual(["origin", "upstream", "fork"]);
    writeFileSync(join(folder, ".git", "config"), remotes("b", "a"));
    expect(projectIdentity(folder)).toBe("host.example/b");
  });

  test("is unknown without a repository, without a remote, and with one on this machine only", () => {
    const folder = temporaryFolder({
      "none/a": "",
      "alone/.git/HEAD": HEAD,
      "alone/.git/config": "[core]\nbare = false\n",
      "local/.git/HEAD": HEAD,
      "local/.git/config": originOf("/srv/shop.git"),
      "gone/.git": "gitdir: /nowhere/at/all\n",
    });
    for (const name of ["none", "alone", "local", "gone", "missing"])
      expect(projectIdentity(join(folder, name)), name).toBeUndefined();
    expect(findGitPlace(join(folder, "local"))).toMatchObject({ remotes: [] });
    expect(findGitPlace(join(folder, "none"))).toBeUndefined();
  });

  test("is found above a folder `.git` that is no repository, and above a folder that is gone", () => {
    const folder = temporaryFolder({ ".git/HEAD": HEAD, ".git/config": SHOP, "a/.git/x": "" });
    expect(projectIdentity(join(folder, "a", "removed", "deeper"))).toBe("github.com/acme/shop//a/removed/deeper");
  });
});

describe("hostile git files", () => {
  test("includes, programs and other files are not read", () => {
    const folder = temporaryFolder({ "x/config": SHOP });
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, ".git", "HEAD"), HEAD);
    writeFileSync(join(folder, ".git", "config"), `[include]\n\tpath = ${join(folder, "x", "config")}\n`);
    expect(findGitPlace(folder)?.remotes).toEqual([]);
  });

  test.each([
    ["a gigantic configuration", `${SHOP}#${"x".repeat(2_000_000)}`],
    ["one that git would not accept", `${SHOP}[broken\n!\n`],
    ["bytes", "\0\u0001\u0002"],
  ])("%s has no remotes", (_, config) => {
    const folder = temporaryFolder({ ".git/HEAD": HEAD, ".git/config": config });
    expect(findGitPlace(folder)).toMatchObject({ remotes: [] });
  });

  test("ten thousand remotes become a few", () => {
    const config = Array.from({ length: 10_000 }, (_, n) => `[remote "r${n}"]\nurl = h.example:${n}\n`).join("");
    const folder = temporaryFolder({ ".git/HEAD": HEAD, ".git/config": config });
    expect(findGitPlace(folder)?.remotes).toHaveLength(64);
  });

  test.each(["gitdir: //server/share/x\n", "gitdir: \\\\server\\share\n", "gitdir: \n", "gitdir: a\0b\n", "x"])(
    "a pointer %j leads nowhere",
    (text) => {
      const folder = temporaryFolder({ ".git": text });
      expect(findGitPlace(folder)).toMatchObject({ root: folder, remotes: [] });
    },
  );

  test("pointers that form a loop, folders in the place of files and pipes end the search", () => {
    const folder = temporaryFolder({
      ".git/HEAD": HEAD,
      ".git/commondir": ".\n",
      "b/.git/HEAD": HEAD,
      "b/.git/config/x": "",
    });
    writeFileSync(join(folder, ".git", "config"), SHOP);
    expect(projectIdentity(folder)).toBe("github.com/acme/shop");
    expect(findGitPlace(join(folder, "b"))).toMatchObject({ remotes: [] });
    execFileSync("mkfifo", [join(folder, ".git", "pipe")]);
    renameSync(join(folder, ".git", "pipe"), join(folder, ".git", "config"));
    expect(findGitPlace(folder)).toMatchObject({ remotes: [] });
  });

  test("a link in the place of `.git` is followed to a repository", () => {
    const folder = temporaryFolder({ "real/HEAD": HEAD, "real/config": SHOP });
    symlinkSync(join(folder, "real"), join(folder, ".git"));
    expect(projectIdentity(folder)).toBe("github.com/acme/shop");
  });
});
