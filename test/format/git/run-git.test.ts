import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { findGitPlace } from "../../../src/format/git/git-remotes.js";
import { type GitHistory, openGitHistory } from "../../../src/format/git/run-git.js";
import { temporaryFolder } from "../temporary-folder.js";

const git = (cwd: string, ...args: string[]) =>
  execFileSync(
    "git",
    ["-c", "protocol.file.allow=always", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args],
    { cwd, encoding: "utf8", stdio: "pipe", env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" } },
  ).trim();

function makeRepository(...options: string[]): string {
  const folder = join(temporaryFolder({ "repository/a.txt": "one\n" }), "repository");
  git(folder, "init", "-q", "-b", "main", ...options);
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "First");
  writeFileSync(join(folder, "a.txt"), "one\ntwo\n");
  git(folder, "commit", "-qam", "Second");
  return folder;
}

function openAt(folder: string): GitHistory | undefined {
  const place = findGitPlace(folder);
  return place && openGitHistory(place, temporaryFolder());
}

async function subjects(folder: string): Promise<string[] | undefined> {
  const answer = await openAt(folder)?.run(["log", "--format=%s", "--all"]);
  return answer?.output.toString().split("\n").slice(0, -1);
}

const SHARED = ["clone", "-q", "--shared"];

/** The folder, after git made it what it is. */
function made(folder: string, cwd: string, ...args: string[]): string {
  git(cwd, ...args);
  return folder;
}

function addSubmodule(repository: string, folder: string): string {
  git(temporaryFolder(), "init", "-q", folder);
  return made(join(folder, "inner"), folder, "submodule", "--quiet", "add", repository, "inner");
}

describe("the history of a repository", () => {
  test("is read from loose and packed references and objects", async () => {
    const folder = makeRepository();
    expect(await subjects(folder)).toEqual(["Second", "First"]);
    git(folder, "gc", "-q");
    git(folder, "checkout", "-qb", "feature/x");
    git(folder, "commit", "-qm", "Third", "--allow-empty");
    git(folder, "checkout", "-q", "main");
    expect(await subjects(folder)).toEqual(["Third", "Second", "First"]);
  });

  test.each<[string, (repository: string, folder: string) => string]>([
    ["a worktree", (repository, folder) => made(folder, repository, "worktree", "add", "-q", folder)],
    ["a deleted folder inside", (repository) => join(repository, ".claude/worktrees/gone")],
    ["a submodule", addSubmodule],
    ["a clone that borrows objects", (repository, folder) => made(folder, repository, ...SHARED, repository, folder)],
    ["a detached head", (repository) => made(repository, repository, "checkout", "-q", "--detach")],
    ["SHA-256", () => makeRepository("--object-format=sha256")],
  ])("is read of %s", async (_name, make) => {
    const folder = make(makeRepository(), join(temporaryFolder(), "other"));
    expect(await subjects(folder)).toEqual(["Second", "First"]);
  });

  test("of a shallow clone ends where the clone ends", async () => {
    const clone = join(temporaryFolder(), "clone");
    git(temporaryFolder(), "clone", "-q", "--depth=1", `file://${makeRepository()}`, clone);
    expect(await subjects(clone)).toEqual(["Second"]);
  });

  test("is not there without a repository, in an unknown format, and without git", () => {
    expect(openAt(temporaryFolder())).toBeUndefined();
    const folder = makeRepository();
    git(folder, "config", "extensions.refStorage", "reftable");
    expect(openAt(folder)).toBeUndefined();
    vi.stubEnv("PATH", temporaryFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(openAt(makeRepositoryWithoutGit())).toBeUndefined();
  });

  test("is not changed, nor anything beside it", async () => {
    const folder = makeRepository();
    const before = readdirSync(folder, { recursive: true }).sort();
    await openAt(folder)?.run(["log", "--patch", "--all"]);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
  });
});

function makeRepositoryWithoutGit(): string {
  return temporaryFolder({ ".git/HEAD": "ref: refs/heads/main\n", ".git/config": "" });
}

describe("an answer", () => {
  test("is bounded in bytes, and says that it was cut", async () => {
    const answer = await openAt(makeRepository())?.run(["log", "--all", "--patch"], { maxBytes: 50 });
    expect(answer).toMatchObject({ end: "large" });
    expect(answer?.output.length).toBeLessThanOrEqual(50);
  });

  test("is bounded in time, also by who no longer needs it", async () => {
    const bin = temporaryFolder({ git: "#!/bin/sh\nexec sleep 20\n" });
    chmodSync(join(bin, "git"), 0o755);
    const folder = makeRepository();
    vi.stubEnv("PATH", `${bin}${delimiter}${process.env["PATH"]}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const history = openAt(folder);
    expect(await history?.run(["log"], { timeoutMs: 50 })).toMatchObject({ end: "slow" });
    expect(await history?.run(["log"], { signal: AbortSignal.timeout(50) })).toMatchObject({ end: "slow" });
  });

  test("of a command that fails is no whole answer", async () => {
    const answer = await openAt(makeRepository())?.run(["show", "--end-of-options", "refs/heads/none"]);
    expect(answer).toMatchObject({ end: "failed" });
  });

  test("takes what git is to read", async () => {
    const history = openAt(makeRepository());
    const patch = await history?.run(["show", "refs/heads/main"]);
    const ids = await history?.run(["patch-id", "--stable"], { input: patch?.output ?? "" });
    expect(ids?.output.toString()).toMatch(/^[0-9a-f]{40} [0-9a-f]{40}\n$/);
  });
});

const SETTINGS = ["core.fsmonitor", "core.pager", "diff.external", "diff.x.textconv", "diff.x.command", "gpg.program"];

/** A repository that has a program run by plain git in several ways, and where that is noted. */
function makeTrap(): { readonly folder: string; caught(): string } {
  const folder = makeRepository();
  const marker = join(folder, "../marker");
  const program = join(folder, "../program");
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${marker}\ncat "$1" 2>/dev/null\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, ".gitattributes"), "* diff=x filter=x\n");
  git(folder, "add", ".gitattributes");
  git(folder, "commit", "-qm", "Attributes");
  for (const name of [...SETTINGS, "filter.x.clean", "filter.x.smudge"]) git(folder, "config", name, program);
  git(folder, "config", "log.showSignature", "true");
  git(folder, "config", "alias.log", `!${program}`);
  mkdirSync(join(folder, ".git/info"), { recursive: true });
  writeFileSync(join(folder, ".git/info/attributes"), "* diff=x\n");
  for (const hook of ["reference-transaction", "post-index-change"]) {
    rmSync(join(folder, ".git/hooks", hook), { force: true });
    writeFileSync(join(folder, ".git/hooks", hook), `#!/bin/sh\nexec ${program}\n`, { mode: 0o755 });
  }
  vi.stubEnv("GIT_EXTERNAL_DIFF", program);
  onTestFinished(() => void vi.unstubAllEnvs());
  writeFileSync(marker, "");
  return { folder, caught: () => readFileSync(marker, "utf8") };
}

describe("a stranger's repository", () => {
  test("starts none of its programs", async () => {
    const { folder, caught } = makeTrap();
    const history = openAt(folder);
    const answers = [
      await history?.run(["log", "--patch", "--all", "--ext-diff", "--textconv"]),
      await history?.run(["show", "HEAD"]),
      await history?.run(["diff-tree", "-p", "HEAD~1", "HEAD"]),
      await history?.run(["blame", "HEAD", "--", "a.txt"]),
      await history?.run(["cat-file", "--textconv", "HEAD:a.txt"]),
    ];
    expect(answers.map((answer) => answer?.end)).toEqual(["done", "done", "done", "done", "done"]);
    expect(caught()).toBe("");
    spawnSync("git", ["show", "--ext-diff", "HEAD"], { cwd: folder });
    expect(caught()).not.toBe("");
  });

  test("brings no git of its own", async () => {
    const { folder, caught } = makeTrap();
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin/git"), `#!/bin/sh\nexec ${join(folder, "../program")}\n`, { mode: 0o755 });
    vi.stubEnv("PATH", [join(folder, "bin"), "bin", process.env["PATH"]].join(delimiter));
    expect((await openAt(folder)?.run(["log", "--all"]))?.end).toBe("done");
    expect(caught()).toBe("");
  });

  test("may have references with names that git itself would refuse", async () => {
    const folder = makeRepository();
    const id = git(folder, "rev-parse", "HEAD");
    const names = ["refs/heads/../x", "refs/heads/a b", "HEAD", "refs/heads/--output=x", "refs/heads/.lock", "x\u0007"];
    writeFileSync(join(folder, ".git/packed-refs"), names.map((name) => `${id} ${name}\n`).join(""));
    writeFileSync(join(folder, ".git/refs/heads/bad"), "not an id\n");
    expect(await subjects(folder)).toEqual(["Second", "First"]);
  });
});
