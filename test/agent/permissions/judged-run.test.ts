import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { PermissionMode } from "../../../src/agent/permissions/chat-settings.js";
import { judge } from "../../../src/agent/permissions/judge.js";
import type { Judgement } from "../../../src/agent/permissions/judgement.js";
import { parseRule } from "../../../src/agent/permissions/rule.js";
import type { Action } from "../../../src/agent/tools/tool.js";
import { Workspace } from "../../../src/agent/workspace.js";
import { makePlace, type Place, startChat } from "../chat-world.js";

interface Setting {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
}

function judgeAt({ project, home }: Place, tool: string, action: Action, setting: Setting = {}): Judgement {
  const { allow = [], deny = [], mode = "default" } = setting;
  const toRules = (texts: readonly string[]) => texts.flatMap((text) => parseRule(text, project) ?? []);
  const rules = { allow: toRules(allow), ask: [], deny: toRules(deny) };
  return judge(action, { tool, mode, workspace: new Workspace(project, [], home), rules });
}

const bash = (place: Place, command: string, setting?: Setting) =>
  judgeAt(place, "Bash", { kind: "shell", command }, setting);

async function runInChat(place: Place, commands: readonly string[], mode: PermissionMode = "plan") {
  const blocks = commands.map((command) => ({ call: "Bash", input: { command } }));
  const world = await startChat([{ blocks }, { blocks: [{ text: "Done." }] }], { place }, { mode });
  await world.send("go");
  return world.file.session.turns[0]?.toolCalls ?? [];
}

test("git that only reads runs no program of a hostile repository, in plan mode without a question", async () => {
  const place = makePlace({ "a.txt": "one\n", ".gitattributes": "*.txt filter=evil diff=evil\n" });
  const git = (...args: string[]) => execFileSync("git", ["-C", place.project, ...args], { stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("add", "a.txt", ".gitattributes");
  git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "First");
  const ran = join(place.home, "ran");
  for (const key of [
    "core.fsmonitor",
    "filter.evil.clean",
    "filter.evil.smudge",
    "diff.evil.textconv",
    "diff.external",
    "core.pager",
  ])
    git("config", key, `touch ${ran}; cat`);
  git("config", "alias.st", `!touch ${ran}`);
  writeFileSync(join(place.project, "a.txt"), "two\n");
  const calls = await runInChat(place, ["git status --short", "git diff", "git log -p --oneline | head -3", "git st"]);
  expect(calls.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "denied"]);
  expect(calls[0]?.result).toContain(" M a.txt");
  expect(calls[1]?.result).toContain("+two");
  expect(existsSync(ran)).toBe(false);
});

test("what runs is what was judged: globs are expanded before, and a folder that is gone ends the line", async () => {
  const place = makePlace({ "src/a.ts": "one\n", "src/b.ts": "two\n" });
  expect(bash(place, "cat src/*.ts").runs).toBe("cat src/a.ts src/b.ts");
  expect(bash(place, "cd src && cat a*").runs).toBe("{ cd -P -- ./src || exit; } && cat a.ts");
  expect(bash(place, `echo "it's" $'\\t' a\\ b`).runs).toBe(`echo 'it'\\''s' '\t' 'a b'`);
  expect(bash(place, "npm test src/*", { allow: ["Bash(npm test:*)"] }).runs).toBe("npm test src/*");
  expect(bash(place, "export A=$x", { allow: ["Bash(export:*)"] }).runs).toMatch(/^export A=\$\{x\}$/);
  expect(bash(place, "rm x", { mode: "bypassPermissions" }).runs).toBeUndefined();
  const calls = await runInChat(place, ["cat src/*.ts", "cd missing; cat src/a.ts", "cat <<'E'\nit's $x\nE"]);
  expect(calls.map(({ status }) => status)).toEqual(["ok", "error", "ok"]);
  expect(calls.map(({ result }) => String(result).trim())).toEqual([
    "one\ntwo",
    expect.not.stringContaining("one"),
    "it's $x",
  ]);
});

test("a question has each part of the line with what was decided and why", () => {
  const place = makePlace({ "src/a.ts": "" });
  expect(bash(place, "ls src && npm test > log | rm -rf x", { allow: ["Bash(npm test:*)"] }).parts).toEqual([
    { text: "ls src", decision: "allow", reason: "it only reads" },
    { text: "npm test", decision: "allow", reason: "the rule Bash(npm test:*) allows it" },
    { text: "> log", decision: "ask", reason: `it writes to ${join(place.project, "log")}` },
    { text: "rm -rf x", decision: "ask", reason: "`rm` is not known to only read" },
  ]);
  expect(bash(place, "cat ../*").reason).toBe(`no rule allows \`cat ../*\` (\`../*\` looks into ${place.home})`);
});

test("a program that the PATH takes from the project is asked, whatever its name", () => {
  const place = makePlace({ "node_modules/.bin/ls": "#!/bin/sh\n" });
  const folder = join(place.project, "node_modules", ".bin");
  chmodSync(join(folder, "ls"), 0o755);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("PATH", [folder, process.env["PATH"]].join(delimiter));
  expect(["ls", "cat x", "pwd"].map((command) => bash(place, command).decision)).toEqual(["ask", "allow", "allow"]);
  vi.stubEnv("PATH", `.:${process.env["PATH"]}`);
  expect(["cat x", "pwd"].map((command) => bash(place, command).decision)).toEqual(["ask", "allow"]);
});

test("a file that a rule denies is denied by its other names, too", () => {
  const place = makePlace({ ".env": "KEY=1", "src/a.ts": "", "b.pem": "key" });
  linkSync(join(place.project, ".env"), join(place.project, "src", "copy"));
  linkSync(join(place.project, "b.pem"), join(place.project, "src", "other"));
  const deny = ["Read(.env)", "Read(*.pem)"];
  const read = (name: string, mode: PermissionMode) =>
    judgeAt(place, "Read", { kind: "read", path: join(place.project, name) }, { deny, mode }).decision;
  expect(["src/copy", "src/other", "src/a.ts"].map((name) => read(name, "default"))).toEqual(["deny", "ask", "allow"]);
  expect(["src/copy", "src/other", "src/a.ts"].map((name) => read(name, "bypassPermissions"))).toEqual([
    "deny",
    "ask",
    "allow",
  ]);
  expect(bash(place, "cat src/copy", { deny }).decision).toBe("deny");
  expect(bash(place, "cat src/other", { deny, mode: "bypassPermissions" }).decision).toBe("ask");
});

test("git asks where there is no shadow: in a worktree, a repository in a repository, or one that begins outside", () => {
  const outer = makePlace({ "sub/a.ts": "" });
  const git = (folder: string, ...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "pipe" });
  git(outer.project, "init", "-q");
  expect(bash(outer, "git status").git).toBe("shadow");
  expect(bash({ ...outer, project: join(outer.project, "sub") }, "git status").decision).toBe("ask");
  git(join(outer.project, "sub"), "init", "-q");
  expect(bash(outer, "git -C sub status").decision).toBe("ask");
  expect(bash(outer, "cd sub && git status").decision).toBe("ask");
  const worktree = makePlace({ ".git": "gitdir: /nowhere\n" });
  expect(bash(worktree, "git status").decision).toBe("ask");
});

test.each([
  ".envrc",
  ".husky/pre-commit",
  ".github/workflows/ci.yml",
  ".gitlab-ci.yml",
  ".vscode/tasks.json",
  ".npmrc",
  "lefthook.yml",
])("changing %s is asked though edits are accepted, unless a rule names it", (name) => {
  const place = makePlace();
  mkdirSync(join(place.project, "src"));
  const edit = (path: string, allow: readonly string[] = []) =>
    judgeAt(place, "Edit", { kind: "edit", path: join(place.project, path) }, { allow, mode: "acceptEdits" }).decision;
  expect([edit(name), edit(name, ["Edit"]), edit(name, [`Edit(${name})`])]).toEqual(["ask", "ask", "allow"]);
  expect(["package.json", "Makefile", "src/a.ts"].map((path) => edit(path))).toEqual(["allow", "allow", "allow"]);
});
