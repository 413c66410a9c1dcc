import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { judgeIn, makeJudgedProject } from "./commands-judged.js";

/** A rule of each kind, and whether what was run broke it. */
export type DeniedKind = "program" | "reading" | "changing";
export const DENIED: Readonly<Record<DeniedKind, string>> = {
  program: "Bash(rm:*)",
  reading: "Read(.env)",
  changing: "Edit(list)",
};

const CANARY = "canary-7f3a91";
const PERSON = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@b.c",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@b.c",
  GIT_CONFIG_NOSYSTEM: "1",
};
const BWRAP =
  "--die-with-parent --unshare-pid --unshare-net --unshare-ipc --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --remount-ro /proc".split(
    " ",
  );
const hasBwrap = spawnSync("bwrap", [...BWRAP, "true"]).status === 0;
const RM = realpathSync(
  execFileSync("bash", ["-c", "PATH=$(getconf PATH); command -v rm"], { encoding: "utf8" }).trim(),
);
/** Without bubblewrap only lines that stay in the project are run. */
const LEAVES = /(?:^|[\s=:'"(<>])\/(?!dev\/null)|\.\.\/\.\.|\b(?:p?kill|killall|cd\s+\.\.|curl|sudo)\b|~[\w-]/;

/**
 * The project of the page of judged commands, with a canary in `.env`, also in its history, and files that are called like options. Each
 * line is judged as it is when it comes, and run if it passes; `reset` makes the project new.
 */
export class DeniedWorld {
  readonly #template = makeTemplate();
  readonly #home = realpathSync(mkdtempSync(join(tmpdir(), "denied-")));
  readonly #tools = makeTools();
  readonly #mark = join(this.#home, "mark");
  readonly #project = join(this.#home, "project");
  #isDirty = true;

  passes(command: string, kind: DeniedKind): boolean {
    this.reset(false);
    const place = { project: this.#project, home: this.#home, configRoot: "", dataDir: "" };
    const rules = { allow: [], ask: [], deny: [DENIED[kind]] };
    const { decision } = judgeIn(place, { command, ...rules, mode: "bypassPermissions", verdict: "rule" });
    return decision === "allow" && (hasBwrap || !LEAVES.test(command));
  }

  /** Runs a line; what broke the rule. */
  run(command: string, kind: DeniedKind): readonly string[] {
    this.#isDirty = true;
    const path = `${join(this.#tools, "bin")}:${dirname(rgPath)}:${process.env["PATH"]}`;
    const env = { ...PERSON, PATH: path, HOME: this.#home, LC_ALL: "C", MARK: this.#mark };
    const bwrap = [
      "bwrap",
      ...BWRAP,
      "--bind",
      this.#home,
      this.#home,
      "--ro-bind",
      join(this.#tools, "bin", "rm"),
      RM,
    ];
    const [program = "", ...args] = [
      ...(hasBwrap ? [...bwrap, "--chdir", this.#project] : []),
      ...["timeout", "-s", "KILL", "3", "bash", "-c", 'eval "$1"', "bash", command],
    ];
    const { stdout, stderr } = spawnSync(program, args, {
      cwd: this.#project,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 2 ** 26,
    });
    if (kind === "program") return existsSync(this.#mark) ? ["it started rm"] : [];
    return kind === "reading" ? this.#findLeaks(stdout + stderr) : this.#findChanges();
  }

  reset(isForced = true): void {
    if (!this.#isDirty || (!isForced && existsSync(join(this.#project, ".env")))) return;
    for (const name of readdirSync(this.#home)) rmSync(join(this.#home, name), { recursive: true, force: true });
    execFileSync("cp", ["-a", `${this.#template}/.`, this.#home]);
    this.#isDirty = false;
  }

  #findLeaks(printed: string): readonly string[] {
    if (printed.includes(CANARY)) return ["it printed the denied file"];
    const { stdout } = spawnSync("grep", ["-rlI", "--exclude-dir=.git", CANARY, this.#home], { encoding: "utf8" });
    const isDenied = (path: string) => path.startsWith(`${this.#project}/`) && path.endsWith("/.env");
    // By a hard link it is denied, too.
    const isSame = (path: string) => statSync(path).nlink > 1;
    return stdout.split("\n").filter((path) => path !== "" && !isDenied(path) && !isSame(path));
  }

  #findChanges(): readonly string[] {
    const path = join(this.#project, "list");
    const isKept =
      existsSync(path) && readFileSync(path, "utf8") === readFileSync(join(this.#template, "project", "list"), "utf8");
    const all = readdirSync(this.#project, { recursive: true }).filter((name) => /(?:^|\/)list$/.test(String(name)));
    return isKept && all.length === 1 ? [] : ["it changed the denied file"];
  }
}

/** Fake programs: an `rm` that leaves a mark. */
function makeTools(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "denied-tools-")));
  execFileSync("mkdir", [join(folder, "bin")]);
  writeFileSync(join(folder, "bin", "rm"), '#!/bin/sh\n: > "$MARK"\n');
  chmodSync(join(folder, "bin", "rm"), 0o755);
  return folder;
}

function makeTemplate(): string {
  const { project, home } = makeJudgedProject();
  const write = (name: string, text: string) => writeFileSync(join(project, name), text);
  // Git replaces files, and then a hard link is a file of its own.
  rmSync(join(project, "hard"));
  rmSync(join(project, ".git", "hooks"), { recursive: true, force: true });
  write(".env", `KEY=${CANARY}\n`);
  write("f", "a file\n");
  for (const name of ["-exec", "--checkpoint=1", "--checkpoint-action=exec=rm f", "-orm", "-e1e rm f"])
    write(`odd/${name}`, "x\n");
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: project, env: { ...process.env, ...PERSON, HOME: home } });
  git("add", "-f", ".env", "list", "f", "odd");
  git("commit", "-qm", "Second");
  write("src/a.ts", "foo\nbaz\n");
  write("list", "rm f\n.env\nsrc/a.ts\n");
  git("commit", "-qam", "Third");
  return home;
}
