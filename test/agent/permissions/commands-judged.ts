import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { MODES, type PermissionMode } from "../../../src/agent/permissions/chat-settings.js";
import { judge } from "../../../src/agent/permissions/judge.js";
import type { Judgement } from "../../../src/agent/permissions/judgement.js";
import { parseRule } from "../../../src/agent/permissions/rule.js";
import { Workspace } from "../../../src/agent/workspace.js";
import { makePlace, type Place } from "../chat-world.js";

/** One line of docs/commands-judged.md. */
export interface JudgedCommand {
  readonly command: string;
  readonly verdict: "free" | "rule" | "ask" | "deny";
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly mode: PermissionMode;
}

const PAGE = resolve(import.meta.dirname, "..", "..", "..", "docs", "commands-judged.md");

/** The settings of a block are in the paragraph in front of it: `deny Bash(rm:*)`, mode `plan`. */
export function readJudgedCommands(): readonly JudgedCommand[] {
  const blocks = readFileSync(PAGE, "utf8").matchAll(/(?:^|\n)([^\n]*)\n+```judged\n([\s\S]*?)```/g);
  return [...blocks].flatMap(([, setting = "", lines = ""]) => {
    const isSetting = /(?:With|In) .*:$/.test(setting);
    const rules = (name: string) =>
      isSetting
        ? [...setting.matchAll(/`(\w+) ([^`]+)`/g)].flatMap(([, kind, rule = ""]) => (kind === name ? rule : []))
        : [];
    const mode = isSetting ? /mode `(\w+)`/.exec(setting)?.[1] : undefined;
    const shared = {
      allow: rules("allow"),
      ask: rules("ask"),
      deny: rules("deny"),
      mode: MODES.find((known) => known === mode) ?? "default",
    };
    return lines
      .trimEnd()
      .split("\n")
      .map((line) => ({ ...shared, verdict: toVerdict(line), command: toCommand(line) }));
  });
}

function toVerdict(line: string): JudgedCommand["verdict"] {
  const word = line.slice(0, 6).trim();
  const verdict = (["free", "rule", "ask", "deny"] as const).find((known) => known === word);
  if (!verdict) throw new Error(`no verdict: ${line}`);
  return verdict;
}

function toCommand(line: string): string {
  return line.slice(6).replaceAll("⏎", "\n").replaceAll("␍", "\r").replaceAll("⍽", "\u00a0");
}

/** The project that the page describes. */
export function makeJudgedProject(): Place {
  const place = makePlace({
    "src/a.ts": "foo\nbar\n",
    "lib/b.ts": "bar\n",
    "docs/read me.md": "# Read me\n",
    "package.json": '{ "name": "x", "scripts": {} }\n',
    list: "a,b\nc/d\n",
    ".env": "KEY=1\n",
    "naïve.txt": "x\n",
    "odd/-delete": "x\n",
    "odd/x.txt": "x\n",
    "kit/.husky/pre-commit": "echo x\n",
    "kit/x.txt": "x\n",
  });
  const outside = join(place.home, "outside");
  mkdirSync(join(outside, "folder"), { recursive: true });
  writeFileSync(join(outside, "secret"), "hidden words\n");
  writeFileSync(join(outside, "folder", "inside"), "hidden words\n");
  symlinkSync(join(outside, "secret"), join(place.project, "src", "link.txt"));
  symlinkSync(join(outside, "secret"), join(place.project, "my link"));
  symlinkSync(join(outside, "folder"), join(place.project, "folder"));
  symlinkSync("lib", join(place.project, "inner"));
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "src/a.ts", "lib"],
    ["commit", "-qm", "First"],
  ])
    git(place, args);
  linkSync(join(place.project, ".env"), join(place.project, "hard"));
  return place;
}

function git({ project, home }: Place, args: readonly string[]): void {
  const person = {
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@b.c",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@b.c",
  };
  const env = { ...process.env, ...person, HOME: home, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  execFileSync("git", args, { cwd: project, env });
}

export function judgeIn(place: Place, line: JudgedCommand): Judgement {
  const workspace = new Workspace(place.project, [], place.home);
  const parsed = (texts: readonly string[]) => texts.flatMap((text) => parseRule(text, place.project) ?? []);
  const rules = { allow: parsed(line.allow), ask: parsed(line.ask), deny: parsed(line.deny) };
  return judge({ kind: "shell", command: line.command }, { tool: "Bash", mode: line.mode, workspace, rules });
}
