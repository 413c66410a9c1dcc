import { join } from "node:path";
import { expect, test } from "vitest";
import { judge } from "../../../src/agent/permissions/judge.js";
import type { Judgement } from "../../../src/agent/permissions/judgement.js";
import { parseRule } from "../../../src/agent/permissions/rule.js";
import type { Action } from "../../../src/agent/tools/tool.js";
import { Workspace } from "../../../src/agent/workspace.js";
import { makePlace } from "../chat-world.js";

const place = makePlace({ "src/a.ts": "" });
const workspace = new Workspace(place.project, [], place.home);

function judged(tool: string, action: Action, allow: readonly string[] = []): Judgement {
  const rules = { allow: allow.flatMap((text) => parseRule(text, place.project) ?? []), ask: [], deny: [] };
  return judge(action, { tool, mode: "default", workspace, rules });
}

const bash = (command: string, allow: readonly string[] = []) => judged("Bash", { kind: "shell", command }, allow);

test.each([
  "\r",
  "*\v",
  ":*\r",
  "\u00a0",
  "rm *\r",
  "rm *",
  "rm x:*",
  "rm -rf x\u00a0",
  "rm *; $((1))",
  "rm x\\ ",
  "for f in *; do rm $f; done",
  "echo $((1)) *",
])("whoever always allows %j allows no other command", (command) => {
  const { decision, suggestions } = bash(command);
  expect(decision).toBe("ask");
  for (const other of ["touch y", "rm -rf src", "rm x", "rm x\\", "rm xy", "rm -rf x"])
    expect(bash(other, suggestions).decision, other).toBe("ask");
});

test("a rule that consists of spaces of another kind is no rule for everything", () => {
  expect(["Bash(\r)", "Bash(*\v)", "Bash(\u00a0)"].map((rule) => bash("rm x", [rule]).decision)).toEqual([
    "ask",
    "ask",
    "ask",
  ]);
  expect(["Bash()", "Bash(*)", "Bash( * )"].map((rule) => bash("rm x", [rule]).decision)).toEqual([
    "allow",
    "allow",
    "allow",
  ]);
});

test.each([
  ["echo $((1))", "echo $((1))"],
  ["echo $((1))\n", "echo $((1))"],
])("the exact rule for %j allows it", (command, spec) => {
  expect(bash(command, [`Bash(${spec})`]).decision).toBe("allow");
  expect(bash(`${spec}\r`, [`Bash(${spec})`]).decision).toBe("ask");
});

test.each([
  ["/etc/*", "/etc/passwd"],
  ["/etc/{a,passwd}", "/etc/passwd"],
  ["/etc/passw[d]", "/etc/passwd"],
  ["/etc/passwd ", "/etc/passwd"],
])("whoever always allows the file %j does not allow %j", (path, other) => {
  for (const kind of ["read", "edit"] as const) {
    const tool = kind === "read" ? "Read" : "Edit";
    const { suggestions } = judged(tool, { kind, path });
    expect(judged(tool, { kind, path: other }, suggestions).decision).toBe("ask");
    if (path === path.trim()) expect(judged(tool, { kind, path }, suggestions).decision).toBe("allow");
  }
});

test("edits in a folder whose name looks like a pattern are allowed there only", () => {
  const odd = makePlace({ "app [1]/a.ts": "", "app 1/a.ts": "" });
  const at = new Workspace(join(odd.project, "app [1]"), [], odd.home);
  const edit = (path: string, allow: readonly string[]) => {
    const rules = { allow: allow.flatMap((text) => parseRule(text, odd.project) ?? []), ask: [], deny: [] };
    const action = { kind: "edit", path: join(odd.project, path) } as const;
    return judge(action, { tool: "Edit", mode: "default", workspace: at, rules });
  };
  const { suggestions } = edit("app [1]/a.ts", []);
  expect(edit("app [1]/a.ts", suggestions).decision).toBe("allow");
  expect(edit("app 1/a.ts", suggestions).decision).toBe("ask");
});

test("a host whose name contains a star is not allowed for good", () => {
  const { suggestions } = judged("WebFetch", { kind: "fetch", domain: "*" });
  expect(judged("WebFetch", { kind: "fetch", domain: "example.com" }, suggestions).decision).toBe("ask");
});
