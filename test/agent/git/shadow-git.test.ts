import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openShadowGit } from "../../../src/agent/git/shadow-git.js";
import { bashTool } from "../../../src/agent/tools/shell/bash.js";
import { bareContext } from "../tools/bare-context.js";
import { HOSTILE_FOLDERS, READING } from "./hostile-folders.js";
import { copyOf, git, makeFolder, makeRepository, write } from "./make-repository.js";
import { type HostileFolder, REFUSED_FOLDERS } from "./refused-folders.js";

const ordinary = makeRepository();

interface Trap {
  readonly repository: string;
  readonly cwd: string;
  /** Which commands started the program. */
  caught(): string;
}

function setTrap({ build, cwd = "." }: HostileFolder): Trap {
  const repository = copyOf(ordinary);
  const marker = join(repository, "../marker");
  const program = join(repository, "../program");
  write(repository, "../program", `#!/bin/bash\necho "$0 $*" >> ${marker}\necho hostile\n`, 0o755);
  build(repository, program);
  writeFileSync(marker, ""); // building it may have started the program
  return { repository, cwd: join(repository, cwd), caught: () => readFileSync(marker, "utf8") };
}

/** One shell runs all commands; what they print does not matter. */
function runAll(cwd: string, env: NodeJS.ProcessEnv): void {
  const script = READING.map((command) => `git ${command} >/dev/null 2>&1 </dev/null`).join("\n");
  const { status } = spawnSync("/bin/bash", ["-c", `${script}\ntrue`], { cwd, env, timeout: 60_000 });
  expect(status).toBe(0);
}

describe("a hostile folder", { timeout: 120_000 }, () => {
  test.each(HOSTILE_FOLDERS)("starts no program through a shadow: $name", (folder) => {
    const { cwd, caught } = setTrap(folder);
    const shadow = openShadowGit(cwd);
    onTestFinished(() => shadow?.close());
    expect(shadow?.environment({})["GIT_WORK_TREE"]).toBe(cwd);
    runAll(cwd, shadow?.environment(process.env) ?? {});
    expect(caught()).toBe("");
  });

  test.each(REFUSED_FOLDERS)("has no shadow: $name", (folder) => {
    expect(openShadowGit(setTrap(folder).cwd)).toBeUndefined();
  });

  test("there are many, and plain git starts the program in most of those that can do it by a reading command", () => {
    expect(HOSTILE_FOLDERS.length + REFUSED_FOLDERS.length).toBeGreaterThanOrEqual(60);
    const traps = HOSTILE_FOLDERS.map((folder) => ({ ...setTrap(folder), name: folder.name }));
    for (const { cwd } of traps) runAll(cwd, process.env);
    const caught = traps.filter((trap) => trap.caught() !== "").map(({ name }) => name);
    expect(caught.length).toBeGreaterThanOrEqual(25);
    expect(caught).toContain("clean filter");
    expect(caught).toContain("submodule that wants to be looked at");
  });
});

describe("an ordinary repository", { timeout: 120_000 }, () => {
  const COMMANDS = READING.filter((command) => command !== "st" && command !== "lg");
  const printed = (cwd: string, env: NodeJS.ProcessEnv) =>
    COMMANDS.map((command) => {
      const { stdout, stderr, status } = spawnSync("git", command.split(" "), { cwd, env, encoding: "utf8" });
      // The line of a change that is not committed has the time of now.
      return { command, stdout: stdout.replace(/(?<=Not Committed Yet) [\d: +-]+/g, ""), stderr, status };
    });
  const printedByShadow = (cwd: string) => {
    const shadow = openShadowGit(cwd);
    onTestFinished(() => shadow?.close());
    expect(shadow).toBeDefined();
    return printed(cwd, shadow?.environment(process.env) ?? {});
  };
  const cloned = () => {
    const clone = join(makeFolder(), "clone");
    git(ordinary, "clone", "--quiet", ordinary, clone);
    write(clone, "a.txt", "one\n2\n3\n");
    git(clone, "commit", "--quiet", "--all", "--message", "Ahead");
    write(clone, "b.x", "changed\n");
    write(clone, ".git/info/exclude", "*.log\n");
    write(clone, "debug.log", "ignored\n");
    return clone;
  };

  test("says the same through a shadow", () => {
    expect(printedByShadow(ordinary)).toEqual(printed(ordinary, process.env));
  });

  test("says the same in a sub-folder", () => {
    mkdirSync(join(ordinary, "sub/folder"), { recursive: true });
    const cwd = join(ordinary, "sub/folder");
    expect(printedByShadow(cwd)).toEqual(printed(cwd, process.env));
  });

  test("says the same of a clone that is ahead of its origin", () => {
    const clone = cloned();
    const said = printedByShadow(clone);
    expect(said).toEqual(printed(clone, process.env));
    expect(said[0]?.stdout).toContain("Your branch is ahead of 'origin/main' by 1 commit.");
  });

  test.each<[string, () => string]>([
    [
      "a shallow clone",
      () => {
        const clone = join(makeFolder(), "clone");
        git(ordinary, "clone", "--quiet", "--depth=1", `file://${ordinary}`, clone);
        return clone;
      },
    ],
    [
      "a merge with conflicts",
      () => {
        const clone = cloned();
        git(clone, "checkout", "--quiet", "-b", "other", "HEAD~1");
        write(clone, "a.txt", "other\n");
        git(clone, "commit", "--quiet", "--message", "Other", "a.txt");
        spawnSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", "merge", "main"], { cwd: clone });
        return clone;
      },
    ],
    [
      "a repository in SHA-256",
      () => {
        const folder = makeFolder();
        git(folder, "init", "--quiet", "--object-format=sha256");
        write(folder, "a.txt", "a\n");
        git(folder, "add", ".");
        git(folder, "commit", "--quiet", "--message", "One");
        write(folder, "a.txt", "b\n");
        return folder;
      },
    ],
    [
      "a repository without commits",
      () => {
        const folder = makeFolder();
        git(folder, "init", "--quiet");
        write(folder, "a.txt", "a\n");
        return folder;
      },
    ],
    [
      "packed objects, packed refs and a split index",
      () => {
        const clone = cloned();
        git(clone, "gc", "--quiet");
        git(clone, "update-index", "--split-index");
        git(clone, "checkout", "--quiet", "--detach");
        return clone;
      },
    ],
    [
      "a repository in which modes do not count",
      () => {
        const clone = cloned();
        git(clone, "config", "core.fileMode", "false");
        write(clone, "a.txt", readFileSync(join(clone, "a.txt"), "utf8"), 0o755);
        return clone;
      },
    ],
  ])("says the same of %s", (_name, make) => {
    const folder = make();
    expect(printedByShadow(folder)).toEqual(printed(folder, process.env));
  });

  test("says the same with the person's own list of ignored files, and runs no filter of theirs", () => {
    const home = makeFolder();
    vi.stubEnv("HOME", home);
    onTestFinished(() => void vi.unstubAllEnvs());
    write(home, ".ignored", "new.*\n");
    write(home, ".gitconfig", `[core]\n\texcludesFile = ~/.ignored\n`);
    expect(printedByShadow(ordinary)).toEqual(printed(ordinary, process.env));
    write(home, ".gitconfig", `[filter "x"]\n\tclean = touch ${home}/ran; cat\n`);
    printedByShadow(ordinary);
    expect(existsSync(join(home, "ran"))).toBe(false);
  });

  test("is not changed", () => {
    const repository = copyOf(ordinary);
    const before = readFileSync(join(repository, ".git/index"));
    printedByShadow(repository);
    expect(readFileSync(join(repository, ".git/index")).equals(before)).toBe(true);
  });
});

test("variables of git that the person has set have no effect in a shadow", () => {
  const { cwd, repository, caught } = setTrap({ name: "", build: () => undefined });
  const program = join(repository, "../program");
  const hostile = {
    GIT_EXTERNAL_DIFF: program,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: program,
  };
  for (const [name, value] of Object.entries(hostile)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const shadow = openShadowGit(cwd);
  onTestFinished(() => shadow?.close());
  runAll(cwd, shadow?.environment(process.env) ?? {});
  expect(caught()).toBe("");
});

test("git is never one that the repository brings", () => {
  const { cwd, repository, caught } = setTrap({
    name: "",
    build: (folder, program) => write(folder, "node_modules/.bin/git", `#!/bin/sh\nexec ${program}\n`, 0o755),
  });
  vi.stubEnv("PATH", [join(repository, "node_modules/.bin"), "bin", process.env["PATH"]].join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
  const shadow = openShadowGit(cwd);
  onTestFinished(() => shadow?.close());
  runAll(cwd, shadow?.environment(process.env) ?? {});
  expect(caught()).toBe("");
});

describe("a shadow", () => {
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith("turnlog-git"));

  test("is gone when it is closed, and the repository stays", () => {
    const before = left();
    const shadow = openShadowGit(ordinary);
    expect(left().length).toBe(before.length + 1);
    shadow?.close();
    expect(left()).toEqual(before);
    expect(existsSync(join(ordinary, ".git/objects"))).toBe(true);
  });

  test("does not exist outside of a repository", () => {
    expect(openShadowGit(makeFolder())).toBeUndefined();
  });
});

describe("Bash", () => {
  test("runs a command on a shadow if it is allowed only so", async () => {
    const { cwd, caught } = setTrap({
      name: "",
      build: (folder, program) => git(folder, "config", "core.fsmonitor", program),
    });
    const run = (shadow: "shadow" | undefined) =>
      bashTool.run({ command: "git status --short; echo $?" }, bareContext(cwd, { git: shadow }));
    expect((await run("shadow")).content).toBe(" M b.x\nAM c.x\n?? new.x\n0");
    expect(caught()).toBe("");
    await run(undefined);
    expect(caught()).not.toBe("");
  });

  test("runs nothing where there is no shadow any more", async () => {
    const running = bashTool.run({ command: "touch ran" }, bareContext(makeFolder(), { git: "shadow" }));
    await expect(running).rejects.toThrow("The repository changed since the command was judged, so it was not run.");
  });
});
