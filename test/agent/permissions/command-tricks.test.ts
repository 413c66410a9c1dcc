import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { PermissionMode } from "../../../src/agent/permissions/chat-settings.js";
import { judge } from "../../../src/agent/permissions/judge.js";
import type { Judgement } from "../../../src/agent/permissions/judgement.js";
import { parseRule } from "../../../src/agent/permissions/rule.js";
import { Workspace } from "../../../src/agent/workspace.js";
import { makePlace } from "../chat-world.js";

/** Links lead out of the project; `bare` and `pages` are repositories that came with the files of the project. */
const place = makePlace({
  "src/a.ts": "",
  "lib/b.ts": "",
  "package.json": "{}",
  list: "/etc/passwd\0",
  "bare/HEAD": "ref: refs/heads/main",
  ".git/HEAD": "",
});
mkdirSync(join(place.home, "outside", "folder"), { recursive: true });
writeFileSync(join(place.home, "outside", "secret"), "secret");
symlinkSync(join(place.home, "outside", "folder"), join(place.project, "folder"));
symlinkSync(join(place.home, "outside", "secret"), join(place.project, "s\rlink"));
symlinkSync(join(place.home, "outside", "secret"), join(place.project, "lib", "key"));
symlinkSync("bare", join(place.project, "other-name"));
for (const folder of ["pages/objects", "pages/refs"]) mkdirSync(join(place.project, folder), { recursive: true });
writeFileSync(join(place.project, "pages", "config"), '[core]\n\tfsmonitor = "touch ran"\n');
symlinkSync("refs/heads/none", join(place.project, "pages", "HEAD"));

for (const file of ["--pre=/bin/sh", "-fsrc/a.ts", "--files0-from=/etc/passwd"]) {
  mkdirSync(dirname(join(place.project, file)), { recursive: true });
  writeFileSync(join(place.project, file), "");
}

const workspace = new Workspace(place.project, [], place.home);
const toRules = (texts: readonly string[] = []) => texts.flatMap((text) => parseRule(text, place.project) ?? []);

interface Setting {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
}

function bash(command: string, { allow, deny, mode = "default" }: Setting = {}): Judgement {
  const rules = { allow: toRules(allow), ask: [], deny: toRules(deny) };
  return judge({ kind: "shell", command }, { tool: "Bash", mode, workspace, rules });
}

test.each([
  "echo a\u00a0#; touch y",
  "echo \r#; touch y",
  "echo \\ #; touch y",
  "echo a\\\n#; touch y",
  "npm test $['$(touch y)']",
  `npm test "\${x:-"'"}" ; touch y; echo 'a' \\'`,
  "npm test `echo \\`touch y\\``",
  'npm test `echo "\\$(touch y)"`',
  'npm test "$(echo # )\n touch y\n)"',
  'npm test "$\\\n(touch y)"',
  "npm test $\\\n(touch y)",
  "npm test ((a['$(touch y)']))",
  "npm test <<'E'\nx\nE\ntouch y",
  "npm test <<'E' \"\n\"\nE\ntouch y\nE",
  'npm test "$(cat <<\'E\'\nx\nE)"; touch y; : "\nE\n)"',
  "npm test 2&>y",
])("nothing hides behind the way in which %j is written", (command) => {
  expect(bash(command, { allow: ["Bash(npm test:*)"] }).decision).toBe("ask");
});

test.each([
  "ls )",
  "uniq - y",
  "uniq -- -x y",
  "cat s\rlink",
  "cat folder/../secret",
  "cat folder/../s*",
  'cat "..\\\n/outside/secret"',
  "sort --files0-from=list",
  "wc --files0-from=list",
  "file -f list",
  "diff -N src lib",
  "diff s?c l?b",
  "date 010203042020",
  "cd bare && git status",
  "cd other-name && git log",
  "git -C bare status",
  "git -C b?re status",
  "git -C pages status",
  "git status",
  "git log --oneline",
  "git show HEAD:src/a.ts",
  "git --version",
  "git grep -Otouch x",
  "git --no-pager -c core.pager=x log",
  "find . -delete",
  "find . -fprint y",
  "find -L .",
  "sed -n 'w y' src/a.ts",
  "sed -n 1p -i src/a.ts",
  "sed 's/x/y/e' src/a.ts",
  "grep -efoo /etc/passwd",
  "grep -n x /etc/passwd",
  "rg --files /etc",
  "echo ../*",
  "jq -n env",
  "jq -n '$ENV.KEY'",
  "jq '..env' package.json",
  "jq 'import \"a\" as a; a::x' package.json",
  "python3 -v",
  "npm --version",
  "cargo --version",
  "sort --co=sh -S 1M src/a.ts",
  "sort --compress-prog=sh src/a.ts",
  "tree -R -L 1 -o y",
  "tree -Lo 1 y",
  "file -C -m list",
  "file -z src/a.ts",
  "rg --pre sh x",
  "rg --pre=./src/a.ts x",
  "rg --hostname-bin=./src/a.ts x",
  "rg -z x",
  "rg -nz x",
  "diff -l src/a.ts lib/b.ts",
  "diff --pag src/a.ts lib/b.ts",
  "wc --files0=list",
  "md5sum --chec list",
  "md5sum -c list",
  "date --se=tomorrow",
  "date -s tomorrow",
  "date -f list",
  "hostname other",
  "grep --fil=list x",
  "ls --unknown",
  "rg x */bin/sh",
  "rg x ?-pre=/bin/sh",
  "sed -n 1p ?fsrc/a.ts",
  "wc ?-files0-from=/etc/passwd",
])("%j is asked: it writes, runs something, or looks elsewhere", (command) => {
  expect(bash(command).decision).toBe("ask");
  expect(bash(command, { mode: "plan" }).decision).toBe("deny");
});

test("a version is asked of a program of the project or of a script that chooses one, not of one of the system", () => {
  const other = makePlace({ "bin/node": "", "bin/make": "" });
  const tools = join(other.home, "tools");
  mkdirSync(tools);
  symlinkSync("/bin/sh", join(tools, "node"));
  writeFileSync(join(tools, "python3"), "#!/bin/sh");
  const at = new Workspace(other.project, [], other.home);
  const asked = (command: string, path: string) => {
    at.variables = { PATH: path };
    const rules = { allow: [], ask: [], deny: [] };
    return (
      judge({ kind: "shell", command }, { tool: "Bash", mode: "default", workspace: at, rules }).decision === "ask"
    );
  };
  expect(asked("node --version", tools)).toBe(false);
  expect(asked("node -v | head -1", `${tools}:/usr/bin`)).toBe(false);
  expect(asked("python3 --version", tools)).toBe(true);
  expect(asked("node --version", `${join(other.project, "bin")}:${tools}`)).toBe(true);
  expect(asked("node --version", `bin:${tools}`)).toBe(true);
  expect(asked("make --version", `${join(other.project, "bin")}:/usr/bin`)).toBe(true);
  expect(asked("find . -exec wc {} +", `${tools}:/usr/bin`)).toBe(false);
  writeFileSync(join(other.project, "bin", "wc"), "");
  expect(asked("find . -exec wc {} +", `${join(other.project, "bin")}:/usr/bin`)).toBe(true);
  expect(asked("ls | xargs wc", `${join(other.project, "bin")}:/usr/bin`)).toBe(true);
});

test.each([
  "echo 'touch y' > src/a.ts > --pre=sh; rg x *",
  "echo > -e1e; sed -n 1p *",
  "echo > -delete; find . *",
  "echo > -exec; find . [.-]exec",
])("%j is asked in a folder without such a file: it makes one that its own glob turns into an option", (command) => {
  const { project, home } = makePlace({ "src/a.ts": "" });
  const at = new Workspace(project, [], home);
  const rules = { allow: [], ask: [], deny: [] };
  const situation = { tool: "Bash", mode: "acceptEdits" as const, workspace: at, rules };
  expect(judge({ kind: "shell", command }, situation).decision).toBe("ask");
});

test.each([
  "echo x > folder/../y",
  "echo x > sub/.git",
  "echo x > .GIT/config",
  "echo x > sub/HEAD",
  "echo x > .vscode/tasks.json",
])("%s is asked though edits are accepted", (command) => {
  expect(bash(command, { mode: "acceptEdits" }).decision).toBe("ask");
});

test.each([
  "grep -rn foo --include=*.ts src",
  "grep -n '/api/users' src/a.ts",
  "sed -n '1,20p' src/a.ts",
  "find . -name '*.ts' -not -path './node_modules/*' | head",
  "ls src; echo $?",
  "echo '--- /etc ---'",
  "[ -f package.json ] && cat package.json | jq .name",
  "tr '/' '-' < list | cut -d/ -f1",
  "diff -u src/a.ts lib/b.ts",
  "head -20 src/a.ts; tail -n +5 src/a.ts; wc -l src/a.ts",
  "ls -la --color=never src",
  "ls src/*; sed -n 1p src/*.ts; find . -name *.ts",
  "rg -n -A3 --glob='*.ts' foo src",
  "jq -r '.scripts | keys[]' package.json",
  "date -u +%Y-%m-%dT%H:%M",
  "du -sh --max-depth=1 src",
  "printf '%s\\n' a | tr -d '\\n' | uniq -c",
  "cat <<'EOF'\nit's (text\nEOF",
])("%s needs no question", (command) => {
  expect(bash(command).decision).toBe("allow");
});

test.each([
  ["npm test \\\n  --watch", "Bash(npm test:*)"],
  ["time -p npm test 2>&1 | tail -20", "Bash(npm test:*)"],
  ["git commit -m \"$(cat <<'EOF'\nSay it's done; (really)\nEOF\n)\"", "Bash(git commit:*)"],
  ["npm run", "Bash(npm run *)"],
  ["npm run build", "Bash(npm run *)"],
])("%s is allowed by %s", (command, rule) => {
  expect(bash(command, { allow: [rule] }).decision).toBe("allow");
});

test.each(["time -p rm x", "coproc rm x", "function f { rm x; }; f", "trap 'rm x' EXIT", "cat <<'E' | bash\nrm x\nE"])(
  "%s is forbidden by a rule against rm",
  (command) => {
    expect(bash(command, { allow: ["Bash"], deny: ["Bash(rm:*)"] }).decision).toBe("deny");
  },
);

test("what always allows a git command with options before its subcommand is this very command", () => {
  expect(bash("git -c a=b push").suggestions).toEqual(["Bash(git -c a=b push)"]);
});

test.each([
  ["lib/key", "Read(lib/key)"],
  ["lib/key", "Read(lib/*)"],
])("reading %s, which is a link, is denied by %s", (path, rule) => {
  expect(bash(`cat ${path}`, { deny: [rule], mode: "bypassPermissions" }).decision).toBe("deny");
});

test("a folder whose name looks like a pattern is meant as it is", () => {
  const odd = makePlace({ "app [1] (new)/a.ts": "" });
  const cwd = join(odd.project, "app [1] (new)");
  const at = new Workspace(cwd, [], odd.home);
  const deny = [parseRule("Read(*.ts)", cwd)].flatMap((rule) => rule ?? []);
  const situation = { tool: "Read", mode: "default" as const, workspace: at, rules: { allow: [], ask: [], deny } };
  expect(judge({ kind: "read", path: join(cwd, "a.ts") }, situation).decision).toBe("deny");
});

test.each([
  ["digits", "1".repeat(50_000)],
  ["words", `ls ${"a ".repeat(20_000)}`],
  ["substitutions", "$(".repeat(5_000)],
  ["hashes", "a#".repeat(50_000)],
])("a command of very many %s is judged, too", (_, command) => {
  expect(bash(command, { deny: ["Bash(rm:*)", "Read(.env)"] }).decision).toBe("ask");
});
