import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  combineSettings,
  type PermissionMode,
  readSettingsFiles,
} from "../../../src/agent/permissions/chat-settings.js";
import { judge } from "../../../src/agent/permissions/judge.js";
import { parseRule, splitRules } from "../../../src/agent/permissions/rule.js";
import type { Action } from "../../../src/agent/tools/tool.js";
import { Workspace } from "../../../src/agent/workspace.js";
import { makePlace } from "../chat-world.js";

interface Setting {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
}

const place = makePlace({ "src/a.ts": "", "docs/b.md": "" });
const workspace = new Workspace(place.project, [], place.home);
const toRules = (texts: readonly string[] = []) => texts.flatMap((text) => parseRule(text, place.project) ?? []);

function decide(tool: string, action: Action, { allow, ask, deny, mode = "default" }: Setting): string {
  return judge(action, {
    tool,
    mode,
    workspace,
    rules: { allow: toRules(allow), ask: toRules(ask), deny: toRules(deny) },
  }).decision;
}

const bash = (command: string, setting: Setting = {}) => decide("Bash", { kind: "shell", command }, setting);
const edit = (path: string, setting: Setting = {}) =>
  decide("Edit", { kind: "edit", path: workspace.resolve(path) }, setting);
const read = (path: string, setting: Setting = {}) =>
  decide("Read", { kind: "read", path: workspace.resolve(path) }, setting);

test.each<readonly [string, Setting, string]>([
  ["git diff --stat", { allow: ["Bash(git diff:*)"] }, "allow"],
  ["git difftool", { allow: ["Bash(git difft:*)"] }, "ask"],
  ["git add . && rm -rf /", { allow: ["Bash(git add:*)"] }, "ask"],
  ["git add $(rm -rf x)", { allow: ["Bash(git add:*)"] }, "ask"],
  ["npm test | tee log", { allow: ["Bash(npm test:*)", "Bash(tee:*)"] }, "allow"],
  ["npm test > log", { allow: ["Bash(npm test:*)"] }, "ask"],
  ["npm test > log", { allow: ["Bash(npm test:*)"], mode: "acceptEdits" }, "allow"],
  ["npm test > /etc/x", { allow: ["Bash(npm test:*)"], mode: "acceptEdits" }, "ask"],
  ["LD_PRELOAD=x.so git diff", { allow: ["Bash(git diff:*)"] }, "ask"],
  ["anything at all $((1))", { allow: ["Bash"] }, "allow"],
  ["ls; rm -rf x", { allow: ["Bash"], deny: ["Bash(rm:*)"] }, "deny"],
  ["echo $(sudo rm x)", { allow: ["Bash"], deny: ["Bash(rm:*)"] }, "deny"],
  ["FOO=1 timeout 5 /bin/rm x", { allow: ["Bash"], deny: ["Bash(rm:*)"] }, "deny"],
  ["rm x", { deny: ["Bash(rm:*)"], mode: "bypassPermissions" }, "deny"],
  ["curl x", { mode: "bypassPermissions" }, "allow"],
  ["git push", { allow: ["Bash"], ask: ["Bash(git push:*)"] }, "ask"],
  ["git push origin main", { allow: ["Bash(git * main)"] }, "allow"],
  ["ls -la src && wc -l src/a.ts", {}, "allow"],
  ["ls -la src && git status", {}, "ask"],
  ["cat /etc/passwd", {}, "ask"],
  ["cat {/etc/passwd,a}", {}, "ask"],
  ["cat \\/etc/passwd", {}, "ask"],
  ["cat < /etc/passwd", {}, "ask"],
  ["cat < src/a.ts", {}, "allow"],
  ["cat < /etc/passwd", { allow: ["Bash(cat:*)"] }, "ask"],
  ["grep -o '\\bfoo{2}' src/a.ts", {}, "allow"],
  ["sort -uo src/b.ts src/a.ts", {}, "ask"],
  ["sort src/a.ts --outp=src/b.ts", {}, "ask"],
  ["sort --compress-program=./x src/a.ts", {}, "ask"],
  ["uniq src/a.ts src/b.ts", {}, "ask"],
  ["sort src/a.ts | uniq -c", {}, "allow"],
  ["cat src/a.ts | uniq -c", {}, "allow"],
  ["git diff --outp=x", {}, "ask"],
  ["git log --oneline", {}, "ask"],
  ["git log --oneline", { mode: "plan" }, "deny"],
  ["git log --oneline", { allow: ["Bash(git log:*)"] }, "allow"],
  ["hostname evil", {}, "ask"],
  ["cat src/a.ts", { deny: ["Read(./src/**)"] }, "deny"],
  ["cat < src/a.ts", { deny: ["Read(./src/**)"] }, "deny"],
  ["echo x > .git/hooks/pre-commit", { mode: "acceptEdits" }, "ask"],
  ["cat ~/.ssh/id_rsa", {}, "ask"],
  ["grep x ../other/file", {}, "ask"],
  ["sort -o a b", {}, "ask"],
  ["rm x", { mode: "plan", allow: ["Bash"] }, "deny"],
  ["ls", { mode: "plan" }, "allow"],
])("%s with %j: %s", (command, setting, decision) => {
  expect(bash(command, setting)).toBe(decision);
});

test.each<readonly [string, Setting, string]>([
  ["src/a.ts", {}, "ask"],
  ["src/a.ts", { mode: "acceptEdits" }, "allow"],
  ["src/a.ts", { mode: "plan" }, "deny"],
  ["src/a.ts", { allow: ["Edit(src/**)"] }, "allow"],
  ["docs/b.md", { allow: ["Edit(src/**)"] }, "ask"],
  ["src/a.ts", { allow: ["Write"], deny: ["Edit(*.ts)"] }, "deny"],
  ["/etc/hosts", { mode: "acceptEdits" }, "ask"],
  [".git/hooks/pre-commit", { mode: "acceptEdits" }, "ask"],
  [".claude/settings.json", { mode: "acceptEdits" }, "ask"],
])("editing %s with %j: %s", (path, setting, decision) => {
  expect(edit(path, setting)).toBe(decision);
});

test("a link that leads out of the project is judged by where it leads", () => {
  mkdirSync(join(place.home, "outside"));
  symlinkSync(join(place.home, "outside"), join(place.project, "link"));
  expect(read("link/file.txt")).toBe("ask");
  expect(bash("ls link")).toBe("ask");
  expect(edit("link/file.txt", { mode: "acceptEdits" })).toBe("ask");
  expect(read("src/a.ts")).toBe("allow");
  expect(read("src/a.ts", { deny: ["Read(./src/**)"] })).toBe("deny");
});

test.each([
  ["example.com", "example.com", "allow", "deny"],
  ["example.com", "EXAMPLE.com.", "allow", "deny"],
  ["example.com", "docs.example.com", "ask", "deny"],
  ["*.example.com", "docs.example.com", "allow", "deny"],
  ["*", "example.org", "allow", "deny"],
  ["example.com", "example.com.evil.org", "ask", "ask"],
])("a rule for the domain %s and a page of %s: %s, or %s where it forbids", (rule, domain, granted, forbidden) => {
  const text = `WebFetch(domain:${rule})`;
  expect(decide("WebFetch", { kind: "fetch", domain }, { allow: [text] })).toBe(granted);
  expect(decide("WebFetch", { kind: "fetch", domain }, { deny: [text] })).toBe(forbidden);
});

test("rules on the command line may be separated by commas or spaces", () => {
  expect(splitRules("Bash(git log:*, x), Edit Read(a b)")).toEqual(["Bash(git log:*, x)", "Edit", "Read(a b)"]);
});

test.each<readonly [string, string, PermissionMode | undefined]>([
  ["a project", "acceptEdits", undefined],
  ["a project", "plan", undefined],
  ["a project", "bypassPermissions", undefined],
  ["the user", "bypassPermissions", "bypassPermissions"],
])("the settings of %s that name the mode %s set %s", (owner, defaultMode, mode) => {
  const { configRoot, project } = makePlace();
  const file = join(owner === "the user" ? configRoot : join(project, ".claude"), "settings.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ permissions: { defaultMode } }));
  const settings = combineSettings(readSettingsFiles(configRoot, project), false);
  expect(settings.defaultMode).toBe(mode);
});

test("an operand `-` is also the file of that name, which may lead out of the project", () => {
  const link = join(place.project, "-");
  expect(bash("rev -")).toBe("allow");
  symlinkSync(place.home, link);
  const verdicts = ["ls -", "rev -", "hexdump -C -", "cat src/a.ts | head -"].map((command) => bash(command));
  rmSync(link);
  expect(verdicts).toEqual(["ask", "ask", "ask", "ask"]);
});
