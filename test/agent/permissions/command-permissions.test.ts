import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PermissionMode } from "../../../src/agent/permissions/chat-settings.js";
import { judge } from "../../../src/agent/permissions/judge.js";
import type { Judgement } from "../../../src/agent/permissions/judgement.js";
import { parseRule } from "../../../src/agent/permissions/rule.js";
import { Workspace } from "../../../src/agent/workspace.js";
import { makePlace } from "../chat-world.js";

interface Setting {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
}

/** Links lead out of the project: `src/link.txt` and `my link` to a secret, `new` to a place where nothing is yet. */
const place = makePlace({ "src/a.ts": "", "lib/b.ts": "", ".env": "KEY=1", "script.py": "" });
mkdirSync(join(place.home, "outside"));
writeFileSync(join(place.home, "outside", "secret"), "secret");
symlinkSync(join(place.home, "outside", "secret"), join(place.project, "src", "link.txt"));
symlinkSync(join(place.home, "outside", "secret"), join(place.project, "my link"));
symlinkSync(join(place.home, "outside", "new"), join(place.project, "new"));

const workspace = new Workspace(place.project, [], place.home);
const toRules = (texts: readonly string[] = []) => texts.flatMap((text) => parseRule(text, place.project) ?? []);

function bash(command: string, { allow, deny, mode = "default" }: Setting = {}): Judgement {
  const rules = { allow: toRules(allow), ask: [], deny: toRules(deny) };
  return judge({ kind: "shell", command }, { tool: "Bash", mode, workspace, rules });
}

test.each([
  "cat src/*",
  "cat src/l?nk.txt",
  "cat s[r]c/[l]ink.txt",
  "cat */*",
  'cat "my link"',
  "cat my\\ link",
  "cat .*/outside/secret",
  "cat ../*",
  `cat "it's" $HOME/.ssh/id_rsa 'x'`,
  'cat "$HOME"/.ssh/id_rsa',
  "cd src && grep -flink.txt x",
  "cd src && grep --file=link.txt x",
  "grep -R x src",
  "rg -L x src",
  "diff -r src lib",
  "cat < src/l*",
  "cd src && cat link.txt",
  "cd .. && cat outside/secret",
  "cd && cat .ssh/id_rsa",
  "cd - && ls",
  "printf -v 'x[$(touch y)]' z",
  "find . -exec rm {} +",
  "ls | xargs rm",
  "env X=1 rm x",
  "X=1 rm x",
  "cat <<END\n$(rm x)\nEND",
])("%s is asked, whatever its beginning looks like", (command) => {
  expect(bash(command).decision).toBe("ask");
});

test.each([
  "cat lib/*",
  "ls lib/*",
  "wc -l lib/*.ts",
  "cd lib && cat b.ts",
  "grep -n 'it*s' \"lib/b.ts\"",
  "echo x > /dev/stderr",
])("%s needs no question", (command) => {
  expect(bash(command).decision).toBe("allow");
});

test.each([
  ["cd /etc && cat passwd", { allow: ["Bash(cd:*)"] }],
  ["cd /etc && echo x > passwd", { allow: ["Bash(cd:*)", "Bash(echo:*)"], mode: "acceptEdits" }],
  ["pushd /etc && echo x > passwd", { allow: ["Bash(pushd:*)", "Bash(echo:*)"], mode: "acceptEdits" }],
  ["echo x > new", { mode: "acceptEdits" }],
  ["echo x > src/l*", { mode: "acceptEdits" }],
  ["echo x > .git/config", { allow: ["Edit"], mode: "acceptEdits" }],
] as const)("%s is asked with %j, as what it touches lies elsewhere", (command, setting) => {
  expect(bash(command, setting).decision).toBe("ask");
});

test("a rule that allows to edit a file allows a command to write it", () => {
  expect(bash("echo x > /tmp/y/z", { allow: ["Edit(//tmp/y/**)"] }).decision).toBe("allow");
  expect(bash("echo x > .git/config", { allow: ["Edit(.git/**)"] }).decision).toBe("allow");
});

test.each([
  "/bin/rm x",
  "r\\m x",
  "'rm' x",
  "rm\tx",
  "env -u A rm x",
  "bash -c 'ls; rm x'",
  "sh -c \"bash -c 'rm x'\"",
  'eval "rm x"',
  "find . -exec rm {} \\;",
  "xargs -I {} rm {} < list",
  "timeout -s KILL 5 rm x",
  "A=1 sudo -u me rm x",
])("%s is forbidden by a rule against rm", (command) => {
  expect(bash(command, { allow: ["Bash"], deny: ["Bash(rm:*)"] }).decision).toBe("deny");
});

test("a file that is called like an option is none in a pattern", () => {
  const odd = makePlace({ "-oout.txt": "", "a.txt": "" });
  const rules = { allow: [], ask: [], deny: [] };
  const at = new Workspace(odd.project, [], odd.home);
  const judged = (command: string) =>
    judge({ kind: "shell", command }, { tool: "Bash", mode: "default", workspace: at, rules }).decision;
  expect(["wc *", "wc ./*", "wc a*"].map(judged)).toEqual(["ask", "allow", "allow"]);
});

test("however often a command changes its folder, it is judged at once", () => {
  const command = Array.from({ length: 60 }, (_, at) => `cd d${at}`).join("; ");
  expect(bash(`${command}; ls`).decision).toBe("allow");
  expect(bash(command.replaceAll(";", " &&")).decision).toBe("ask");
  expect(bash(`xargs ${"word ".repeat(20_000)}`, { deny: ["Bash(rm:*)"] }).decision).toBe("ask");
});

test("options before its subcommand do not hide what git does", () => {
  const deny = ["Bash(git push:*)"];
  expect(bash("git -C . -c a=b --no-pager push origin", { allow: ["Bash"], deny }).decision).toBe("deny");
  expect(bash("git -C . log push", { allow: ["Bash"], deny }).decision).toBe("allow");
});

test.each([
  ["cat .e*", "deny"],
  ["cat .en?", "deny"],
  ["sed -n p .env", "deny"],
  ["git show HEAD:.env", "deny"],
  ["cd lib && cat ../.env", "deny"],
  ["grep --file=.env x", "deny"],
  ["grep -r KEY .", "ask"],
  ["rg KEY", "ask"],
  ["cat lib/b.ts", "allow"],
  ["cat *.py", "allow"],
])("with a rule against reading .env, %s: %s", (command, decision) => {
  expect(bash(command, { deny: ["Read(.env)"] }).decision).toBe(decision);
});

test.each([
  ["node dist/bin.js x", ["Bash(node dist/bin.js x)"]],
  ["python3 script.py", ["Bash(python3 script.py)"]],
  ["python3 -c 'x'", ["Bash(python3 -c 'x')"]],
  ["npm run lint && npm test", ["Bash(npm run lint:*)", "Bash(npm test:*)"]],
  ["ls && env X=1 npm test", ["Bash(env X=1 npm test)"]],
  ["X=1 make", ["Bash(X=1 make)"]],
  ["rm -rf build && git push", ["Bash(rm -rf build)", "Bash(git push)"]],
  ["npm test <<END\nx\nEND", ["Bash(npm test:*)"]],
  ["npm test <<END\n$x\nEND", ["Bash(npm test <<END\n$x\nEND)"]],
  ["make > log.txt", ["Bash(make)", `Edit(/${place.project}/**)`]],
  ["echo x > .git/config", [`Edit(/${place.project}/.git/config)`]],
  ["git fetch --upload-pack=./x origin", ["Bash(git fetch --upload-pack=./x origin)"]],
  ["git push -u origin main", ["Bash(git push -u origin main)"]],
  ["git commit -m x && git fetch -p", ["Bash(git commit:*)", "Bash(git fetch:*)"]],
  ["npm test --script-shell=./x", ["Bash(npm test --script-shell=./x)"]],
  ["sort -o out src/a.ts", ["Bash(sort -o out src/a.ts)"]],
])("whoever always allows %j allows %j, and is not asked again", (command, suggestions) => {
  expect(bash(command).suggestions).toEqual(suggestions);
  expect(bash(command, { allow: suggestions }).decision).toBe("allow");
});
