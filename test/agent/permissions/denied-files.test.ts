import { linkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judge } from "../../../src/agent/permissions/judge.js";
import { PermissionDesk } from "../../../src/agent/permissions/permission-desk.js";
import { parseRule } from "../../../src/agent/permissions/rule.js";
import { Workspace } from "../../../src/agent/workspace.js";
import { makePlace } from "../chat-world.js";

const place = makePlace({
  ".env": "KEY=1",
  "b.pem": "key",
  "src/a.ts": "",
  ".git/HEAD": "",
  "store/objects/4b/x": "",
  "store/refs/heads/x": "",
  "store/HEAD": "",
});
linkSync(join(place.project, ".env"), join(place.project, "src", "copy"));
linkSync(join(place.project, "b.pem"), join(place.project, "src", "other"));
const workspace = new Workspace(place.project, [], place.home);

test("a search leaves out denied files, and files that may be denied ones by another name", () => {
  const deny = ["Read(.env)", "Read(*.pem)"].flatMap((text) => parseRule(text, place.project) ?? []);
  const desk = new PermissionDesk({ allow: [], ask: [], deny }, "default", workspace, undefined);
  const isHidden = (name: string) => desk.forbidsReading(join(place.project, name), workspace);
  expect([".env", "src/copy", "b.pem", "src/other"].map(isHidden)).toEqual([true, true, true, true]);
  expect(isHidden("src/a.ts")).toBe(false);
});

test("a file that a rule denies to change is not changed by another name", () => {
  const deny = ["Edit(.env)", "Edit(*.pem)"].flatMap((text) => parseRule(text, place.project) ?? []);
  const rules = { allow: [], ask: [], deny };
  const situation = { mode: "bypassPermissions" as const, workspace, rules };
  const edit = (name: string) =>
    judge({ kind: "edit", path: join(place.project, name) }, { ...situation, tool: "Edit" }).decision;
  const bash = (command: string) => judge({ kind: "shell", command }, { ...situation, tool: "Bash" }).decision;
  expect(["src/copy", "src/other", "src/a.ts"].map(edit)).toEqual(["deny", "ask", "allow"]);
  expect(["tee src/copy", "echo x > src/copy", "tee src/a.ts"].map(bash)).toEqual(["deny", "deny", "allow"]);
});

test("where reading is denied, no tool reads git's own data unasked, which has every file by another name", () => {
  const read = (name: string, denied: readonly string[], mode: "default" | "bypassPermissions") => {
    const deny = denied.flatMap((text) => parseRule(text, place.project) ?? []);
    const situation = { tool: "Read", mode, workspace, rules: { allow: [], ask: [], deny } };
    return judge({ kind: "read", path: join(place.project, name) }, situation).decision;
  };
  const names = [".git/HEAD", ".git/objects/4b/x", "store/objects/4b/x", "store/HEAD", "src/a.ts"];
  for (const mode of ["default", "bypassPermissions"] as const) {
    expect(names.map((name) => read(name, ["Read(secrets/**)"], mode))).toEqual(["ask", "ask", "ask", "ask", "allow"]);
    expect(names.map((name) => read(name, ["Edit(secrets/**)"], mode))).toEqual(names.map(() => "allow"));
  }
  const deny = ["Read(secrets/**)"].flatMap((text) => parseRule(text, place.project) ?? []);
  const desk = new PermissionDesk({ allow: [], ask: [], deny }, "default", workspace, undefined);
  expect(desk.forbidsReading(join(place.project, ".git/rebase-merge/patch"), workspace)).toBe(true);
});
