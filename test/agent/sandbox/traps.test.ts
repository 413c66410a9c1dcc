import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { newTraps, surveyTraps } from "../../../src/agent/sandbox/survey-traps.js";
import { clearLeftTraps } from "../../../src/agent/sandbox/traps.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { transpiledModule } from "../../format/writer/transpiled-sources.js";
import { requireBubblewrap } from "./require-bubblewrap.js";
import { openWorld } from "./sandbox-world.js";

beforeAll(requireBubblewrap, 300_000);

const read = (...path: readonly string[]) => readFileSync(join(...path), "utf8");
const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

describe("what a command in the sandbox creates and other programs would run", { timeout: 60_000 }, () => {
  test("is put aside with its content, in new folders too, and both the model and the person are told", async () => {
    const { run, project, told } = openWorld();
    const { note } = await run(
      "mkdir -p .vscode .claude new/deep && for f in .envrc .vscode/tasks.json .claude/settings.json new/deep/.envrc; do echo evil > $f; done; ln -s nowhere .mcp.json; echo 1 > .claude/other",
    );
    const names = [".envrc", ".vscode", ".claude/settings.json", "new/deep/.envrc", ".mcp.json"];
    expect(names.filter((name) => isThere(join(project, name)))).toEqual([]);
    expect(read(project, ".envrc.sandboxed")).toBe("evil\n");
    expect(read(project, ".vscode.sandboxed/tasks.json")).toBe("evil\n");
    expect(read(project, ".claude/settings.json.sandboxed")).toBe("evil\n");
    expect(read(project, "new/deep/.envrc.sandboxed")).toBe("evil\n");
    expect(readlinkSync(join(project, ".mcp.json.sandboxed"))).toBe("nowhere");
    expect(read(project, ".claude/other")).toBe("1\n");
    for (const name of names) expect(note).toContain(`${join(project, name)} was renamed to `);
    expect(told).toHaveLength(names.length);
    const again = await run("echo more > .envrc");
    expect(again.note).toContain("renamed to .envrc.sandboxed-2: ");
    expect(read(project, ".envrc.sandboxed")).toBe("evil\n");
  });

  test("is put aside also if it was another file before, which the sandbox knew", async () => {
    const { run, project } = openWorld();
    await run("mkdir r r/objects r/refs; echo 'ref: refs/heads/main' > keep; ln keep r/HEAD");
    await run("echo evil > keep; mv keep .envrc");
    expect(isThere(join(project, ".envrc"))).toBe(false);
    expect(read(project, ".envrc.sandboxed")).toBe("evil\n");
  });

  test("is told apart from what was there, what came between commands, and what a tool wrote", async () => {
    const { run, project, sandbox, told } = openWorld({ files: ["sub/.envrc", ".vscode/tasks.json"] });
    await run("echo 1");
    writeFileSync(join(project, ".envrc"), "of a person");
    const { exitCode } = await run("echo evil > sub/.envrc");
    expect(exitCode).toBe(1);
    const running = run("sleep 0.5");
    sandbox.accept(join(project, ".zed/settings.json"));
    mkdirSync(join(project, ".zed"));
    writeFileSync(join(project, ".zed/settings.json"), "approved");
    await running;
    await run("mv sub moved");
    expect(read(project, ".envrc")).toBe("of a person");
    expect(read(project, "moved/.envrc")).toBe("mine");
    expect(read(project, ".vscode/tasks.json")).toBe("mine");
    expect(read(project, ".zed/settings.json")).toBe("approved");
    expect(told).toEqual([]);
  });

  test("is put aside while the command runs, in the background as well", async () => {
    const { run, project, told } = openWorld();
    const running = run("echo evil > .envrc; mkdir -p a/b; echo evil > a/b/.envrc; sleep 4");
    await expect.poll(() => told.length, { timeout: 3_500 }).toBe(2);
    expect([".envrc", "a/b/.envrc"].filter((name) => existsSync(join(project, name)))).toEqual([]);
    expect((await running).note).toContain(".envrc.sandboxed");
  });

  test("is found among any number of new folders, where there was a folder before", () => {
    const project = temporaryFolder({ "packages/a/file": "" });
    const before = surveyTraps([project], new Set(), 10);
    for (let number = 0; number < 20; number++) mkdirSync(join(project, `${number}`));
    writeFileSync(join(project, "packages/a/.envrc"), "");
    const traps = newTraps(before, surveyTraps([project], before.folders, 10));
    expect(traps.map(({ path }) => path)).toEqual([join(project, "packages/a/.envrc")]);
  });
});

describe("a repository that a command in the sandbox creates", { timeout: 60_000 }, () => {
  const identity = "git config user.name A; git config user.email a@b.c";

  test("stays if it names no program, and is protected from then on", async () => {
    const { run, project, told } = openWorld();
    await run(`git clone -q . copy; git init -q --bare bare; mkdir own && cd own && git init -q && ${identity}`);
    expect(told).toEqual([]);
    const tries = ["copy/.git/config", "bare/config", "own/.git/hooks/pre-commit"];
    await run(tries.map((path) => `echo '[core] fsmonitor = evil' >> ${path}`).join("; "));
    expect(tries.filter((path) => isThere(join(project, path)) && read(project, path).includes("evil"))).toEqual([]);
    const commit = "git commit -q --allow-empty -m One && git log --format=%s";
    expect((await run(`cd own && git -c user.name=A -c user.email=a@b.c ${commit.slice(4)}`)).text).toBe("One\n");
  });

  test.each([
    ["a setting", "git init -q r && git -C r config core.fsmonitor evil", "r/.git"],
    ["a hook", "git init -q r && echo evil > r/.git/hooks/post-checkout", "r/.git"],
    [
      "a setting after a comment",
      "git init -q r && printf '# \\\\\\n[core] fsmonitor = evil' >> r/.git/config",
      "r/.git",
    ],
    ["another configuration", "git init -q r && printf '[include]\\npath = x' >> r/.git/config", "r/.git"],
    ["another folder", "git init -q x && mkdir r && echo gitdir: ../x/.git > r/.git", "r/.git"],
    ["a bare one", "git init -q --bare r && git -C r config core.fsmonitor evil", "r/HEAD"],
    ["a common folder", "echo ../evil > .git/commondir", ".git/commondir"],
    ["a common folder that comes later", "ln -s ../later .git/commondir", ".git/commondir"],
    ["a rebase", "mkdir .git/rebase-merge; echo 'exec evil' > .git/rebase-merge/git-rebase-todo", ".git/rebase-merge"],
    [
      "a rebase, in short",
      "mkdir .git/rebase-merge; printf 'pick 1\\n x evil' > .git/rebase-merge/git-rebase-todo",
      ".git/rebase-merge",
    ],
    ["a strategy", "mkdir .git/rebase-merge; echo evil > .git/rebase-merge/strategy", ".git/rebase-merge"],
    [
      "picks",
      "mkdir .git/sequencer; printf '[options]\\n\\tstrategy = evil\\n' > .git/sequencer/opts",
      ".git/sequencer",
    ],
    [
      "a rebase elsewhere",
      "git init -q r; mkdir r/.git/rebase-merge; echo 'x evil' > r/.git/rebase-merge/git-rebase-todo",
      "r/.git",
    ],
    ["a remote", "mkdir .git/remotes; echo 'URL: ext::evil' > .git/remotes/origin", ".git/remotes"],
    ["a worktree", "mkdir -p .git/worktrees/x; echo ../evil > .git/worktrees/x/commondir", ".git/worktrees"],
    ["a submodule", "mkdir -p .git/modules/x; echo '[core] fsmonitor = evil' > .git/modules/x/config", ".git/modules"],
    ["configuration of a worktree", "echo '[core] fsmonitor = evil' > .git/config.worktree", ".git/config.worktree"],
  ])("is put aside if git would run a program by it: %s", async (_, command, path) => {
    const { run, project } = openWorld();
    const { note, text } = await run(command);
    expect({ text, note }).toMatchObject({ text: "", note: expect.stringContaining(`${join(project, path)} was`) });
    expect(isThere(join(project, path))).toBe(false);
    expect(isThere(join(project, `${path}.sandboxed`))).toBe(true);
  });
});

test("what git has left to do stays where it runs no program, and is not changed where it does", async () => {
  const { run, project, told } = openWorld();
  const identity =
    "git config --file /tmp/c user.name A; git config --file /tmp/c user.email a@b.c; export GIT_CONFIG_GLOBAL=/tmp/c";
  const commits =
    "git add a.txt; git commit -qm 1; git checkout -qb x; echo x > a.txt; git commit -qam x; git checkout -q -; echo y > a.txt; git commit -qam y";
  await run(`${identity}; ${commits}; git rebase -q x`);
  expect(told).toEqual([]);
  expect(isThere(join(project, ".git/rebase-merge"))).toBe(true);
  writeFileSync(join(project, ".git/rebase-merge/git-rebase-todo"), "exec true\n");
  await run("echo 'exec evil' >> .git/rebase-merge/git-rebase-todo; mv .git/rebase-merge .git/r");
  expect(read(project, ".git/rebase-merge/git-rebase-todo")).toBe("exec true\n");
  expect(told).toEqual([]);
}, 60_000);

test("hooks that the configuration names among the files of the project are read-only", async () => {
  const { run, project } = openWorld({ files: ["tools/hooks/pre-commit", "tools/a"] });
  writeFileSync(join(project, ".git/config"), "[core]\n\thooksPath = tools/hooks\n");
  await run("echo evil > tools/hooks/pre-commit; echo evil > tools/hooks/pre-push; echo 1 > tools/a");
  expect(readdirSync(join(project, "tools/hooks"))).toEqual(["pre-commit"]);
  expect(read(project, "tools/hooks/pre-commit")).toBe("mine");
  expect(read(project, "tools/a")).toBe("1\n");
}, 60_000);

/** A process that is killed in the middle of a command. */
async function leaveTrap(project: string, dataDir: string): Promise<void> {
  mkdirSync(dataDir);
  const traps = transpiledModule("agent/sandbox/traps", ["agent", "store", "format"]);
  const script = `
    import { mkdirSync, writeFileSync } from "node:fs";
    import { Traps } from ${JSON.stringify(traps)};
    new Traps([${JSON.stringify(project)}], ${JSON.stringify(dataDir)}, () => {}).enter();
    mkdirSync("${project}/a/b", { recursive: true });
    writeFileSync("${project}/a/b/.envrc", "evil");
    process.kill(process.pid, "SIGKILL");
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: "inherit" });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
}

test("what commands of a killed turnlog created is put aside at the next start, and nothing that came before or later", async () => {
  const folder = temporaryFolder({ "project/.envrc": "mine" });
  const [project, dataDir] = [join(folder, "project"), join(folder, "data")];
  await leaveTrap(project, dataDir);
  const [name = ""] = readdirSync(join(dataDir, "traps"));
  const note = join(dataDir, "traps", name);
  const text = readFileSync(note, "utf8");
  const hourAgo = Date.now() - 3_600_000;
  writeFileSync(note, JSON.stringify({ ...JSON.parse(text), since: hourAgo - 1_000 }));
  utimesSync(note, new Date(hourAgo), new Date(hourAgo));
  const told: string[] = [];
  clearLeftTraps(dataDir, (line) => told.push(line));
  expect(told).toEqual([]);
  expect(read(project, "a/b/.envrc")).toBe("evil");
  writeFileSync(note, text);
  clearLeftTraps(dataDir, (line) => told.push(line));
  expect(told).toEqual([expect.stringContaining("a/b/.envrc was renamed to .envrc.sandboxed")]);
  expect(read(project, "a/b/.envrc.sandboxed")).toBe("evil");
  expect(read(project, ".envrc")).toBe("mine");
  expect(readdirSync(join(dataDir, "traps"))).toEqual([]);
}, 60_000);
