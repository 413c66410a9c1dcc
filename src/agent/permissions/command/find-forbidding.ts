import { statSync } from "node:fs";
import { resolveAsPrograms } from "../../workspace.js";
import type { Situation } from "../judgement.js";
import {
  bothWays,
  EDIT_TOOLS,
  findOtherName,
  findPathRule,
  hasDenyRules,
  isProcessSecret,
  READ_TOOLS,
} from "../path-rules.js";
import type { Rule } from "../rule.js";
import { expandGlob, isGlob } from "./expand-glob.js";
import { findUnknownProgram } from "./known-programs.js";
import { allowsCommand, matchesText } from "./match-command.js";
import { readCall } from "./read-call.js";
import type { SimpleCommand } from "./shell-node.js";
import { readStartedLine, type StartedCommand, type StartedLine } from "./started-commands.js";
import { findStartedPrograms, programOf, type StartedPrograms } from "./started-programs.js";
import { changesNamed, mayChangeNamed, mayChangeUnnamed, mayShowUnnamed, withInner } from "./unnamed-files.js";

export interface Forbidding {
  readonly decision: "deny" | "ask";
  readonly reason: string;
}

/**
 * What forbids a command line, or makes it need approval whatever allows it: a rule against a program that it starts or a file that it
 * names. Where a rule exists and it cannot be told whether the line breaks it, it needs approval, in bypass mode too.
 */
export function findForbidding(command: string, situation: Situation): Forbidding | undefined {
  const { rules, mode, tool, workspace } = situation;
  const asking = mode === "bypassPermissions" ? [] : rules.ask;
  const line = readStartedLine(command);
  const started = findStartedPrograms(line, workspace.cwd);
  const paths = new LinePaths({ ...line, commands: started.commands.flatMap(withInner) }, situation);
  const texts = [command.trim(), ...started.forms];
  const denied = findTextRule(rules.deny, tool, texts) ?? paths.findDenied();
  if (denied) return { decision: "deny", reason: `denied by the rule ${denied.text}` };
  const asked = findTextRule(asking, tool, texts);
  if (asked) return { decision: "ask", reason: `the rule ${asked.text} requires approval` };
  const doubt =
    findProgramDoubt([...rules.deny, ...asking], tool, started) ??
    findUnknownDoubt(line.commands, situation) ??
    paths.findDoubt(started) ??
    (paths.hasProcessSecrets() ? "it reads the environment or memory of a process" : undefined);
  return doubt === undefined ? undefined : { decision: "ask", reason: doubt };
}

function findTextRule(rules: readonly Rule[], tool: string, texts: readonly string[]): Rule | undefined {
  return rules.find(
    (rule) =>
      rule.tool === tool && (rule.spec === undefined || texts.some((text) => matchesText(rule.spec ?? "", text))),
  );
}

/** Why a program that a rule names may be started although no form of the line shows it. */
function findProgramDoubt(rules: readonly Rule[], tool: string, started: StartedPrograms): string | undefined {
  const concerned = rules.filter((rule) => rule.tool === tool);
  const [first] = concerned;
  if (!first) return undefined;
  const [doubt] = started.doubts;
  if (doubt !== undefined) return `${doubt}, and the rule ${first.text} may forbid it`;
  const named = new Set(started.mentions.flatMap(programsIn));
  const rule = concerned.find(({ spec = "" }) => {
    const [program = ""] = spec.split(/[\s:]/);
    return /^[\w./-]+$/.test(program) && named.has(programOf(program));
  });
  return rule ? `an argument names a program of the rule ${rule.text}` : undefined;
}

/**
 * With a rule that denies programs, only programs pass that are known to start nothing else, and those that a rule allows by name:
 * whatever is started by another one, nobody sees.
 */
function findUnknownDoubt(commands: readonly StartedCommand[], { rules, tool }: Situation): string | undefined {
  const denying = rules.deny.find((rule) => rule.tool === tool);
  if (!denying) return undefined;
  const allowing = rules.allow.flatMap((rule) => (rule.tool === tool && rule.spec !== undefined ? rule.spec : []));
  const isNamed = (command: StartedCommand) => {
    const simple = toSimple(command);
    return simple !== undefined && allowing.some((spec) => allowsCommand(spec, simple));
  };
  for (const command of commands) {
    const found = findUnknownProgram(command, isNamed);
    const [variable] = /^\w+(?=\+?=)/.exec(found ?? "") ?? [];
    if (variable !== undefined)
      return `\`${variable}\` may change which programs are started, and the rule ${denying.text} may forbid them`;
    if (found !== undefined) return `what \`${found}\` starts is not known, and the rule ${denying.text} may forbid it`;
  }
  return undefined;
}

/** Undefined: its program or its variables are known only when it runs. */
function toSimple({ words, pieces, assignments }: StartedCommand): SimpleCommand | undefined {
  if (words[0] === undefined || !assignments.every((text) => /^\w+=[\w.,:/-]*$/.test(text))) return undefined;
  const set = assignments.map((text) => {
    const [name = "", value = ""] = text.split("=");
    return { name, value: { value, pieces: [{ kind: "text" as const, text: value }], text: value } };
  });
  const all = words.map((value, at) => ({ value, pieces: pieces[at] ?? [], text: value ?? "" }));
  return { kind: "command", assignments: set, words: all, redirects: [], text: "" };
}

const MAX_MENTION = 20_000;

/** Words of an argument that could be names of programs; quotes inside of it do not hide them. */
function programsIn(text: string): readonly string[] {
  return text
    .slice(0, MAX_MENTION)
    .replace(/['"\\]/g, "")
    .split(/[^\w./-]+/)
    .map(programOf);
}

const MAX_FOLDERS = 32;
const MAX_WORDS = 2_000;

/** The files that a line names, in every folder where it may run. */
class LinePaths {
  readonly #folders: readonly string[];
  #named: readonly string[] | undefined;

  constructor(
    private readonly line: StartedLine,
    private readonly situation: Situation,
  ) {
    this.#folders = foldersOf(line, situation.workspace.cwd);
  }

  findDenied(): Rule | undefined {
    const { situation, line } = this;
    if (this.#hasTooMany()) return undefined;
    const { deny } = situation.rules;
    if (!hasDenyRules(situation, EDIT_TOOLS) && !hasDenyRules(situation, READ_TOOLS)) return undefined;
    const all = (paths: readonly string[]) => paths.flatMap((path) => bothWays(path, situation));
    const changers = line.commands.filter(changesNamed);
    const writes = [
      ...this.#inFolders(line.writes.flatMap((path) => path ?? [])),
      ...changers.flatMap((command) => this.#namedBy(command)),
    ];
    return (
      findPathRule(deny, EDIT_TOOLS, all(writes), situation) ??
      findPathRule(deny, READ_TOOLS, all(this.#files()), situation) ??
      this.#findOtherName(this.#files(), READ_TOOLS) ??
      this.#findOtherName(writes, EDIT_TOOLS)
    );
  }

  #findOtherName(paths: readonly string[], tools: ReadonlySet<string>): Rule | undefined {
    const { situation } = this;
    if (!hasDenyRules(situation, tools)) return undefined;
    for (const path of paths) {
      const found = findOtherName(situation.workspace.resolve(path), situation, tools);
      if (found !== undefined && found !== "unknown") return found;
    }
    return undefined;
  }

  /** Why a file that a rule denies may be read or changed although the line does not name it. */
  findDoubt({ doubts }: StartedPrograms): string | undefined {
    const { situation, line } = this;
    const hasReading = hasDenyRules(situation, READ_TOOLS);
    if (!hasReading && !hasDenyRules(situation, EDIT_TOOLS)) return undefined;
    if (doubts[0] !== undefined) return `${doubts[0]}, and a rule denies some files`;
    if (this.#hasTooMany()) return "it has very many arguments, and a rule denies some files";
    const hasWideGlob = line.commands.some(({ pieces }) => pieces.some((word) => this.#isWideGlob(word)));
    if (hasWideGlob) return "a glob matches very many files, and a rule denies some";
    const isOpen = [...line.reads, ...line.writes, ...line.commands.flatMap(({ words }) => words)].includes(undefined);
    if (isOpen) return "which files it names is known only when it runs, and a rule denies some";
    const change = this.#findChangeDoubt();
    if (change !== undefined || !hasReading) return change;
    const shown = line.commands.find((command) => mayShowUnnamed(command, () => this.#hasFolder(command)));
    if (shown) return `\`${shown.words[0]}\` may show files that a rule denies`;
    const other = this.#files().find(
      (path) => findOtherName(situation.workspace.resolve(path), situation) !== undefined,
    );
    return other === undefined ? undefined : `${other} has other names, and a rule may deny one of them`;
  }

  hasProcessSecrets(): boolean {
    // A command's own environment is what `env` prints.
    const isOwn = (path: string) => /^\/proc\/(?:thread-)?self\//.test(path);
    const isShown = (path: string) => !isOwn(path) && bothWays(path, this.situation).some(isProcessSecret);
    const hasProc = [...this.line.commands.flatMap(({ words }) => words), ...this.line.reads].some((word) =>
      word?.includes("/proc"),
    );
    return (hasProc || this.#folders.some((folder) => folder.startsWith("/proc"))) && this.#files().some(isShown);
  }

  #isWideGlob(word: StartedCommand["pieces"][number]): boolean {
    return isGlob(word) && this.#folders.some((folder) => expandGlob(word, folder) === undefined);
  }

  #hasTooMany(): boolean {
    return this.line.commands.reduce((sum, { words }) => sum + words.length, 0) > MAX_WORDS;
  }

  /** Whether an argument of the command is a folder. */
  #hasFolder({ words, pieces }: StartedCommand): boolean {
    const globs = pieces.filter(isGlob).flatMap((word) => this.#folders.flatMap((folder) => matchesIn(word, folder)));
    return [...this.#inFolders(words.slice(1).flatMap((word) => word ?? [])), ...globs].some(isFolder);
  }

  #findChangeDoubt(): string | undefined {
    const { situation, line } = this;
    if (!hasDenyRules(situation, EDIT_TOOLS)) return undefined;
    const unseen = line.commands.find((command) => mayChangeUnnamed(command, () => this.#hasFolder(command)));
    if (unseen) return `\`${unseen.words[0]}\` may change files that a rule denies`;
    const named = line.commands.filter(mayChangeNamed).flatMap((command) => this.#namedBy(command));
    const all = named.flatMap((path) => bothWays(path, situation));
    const rule = findPathRule(situation.rules.deny, EDIT_TOOLS, all, situation);
    return rule ? `it may change a file of the rule ${rule.text}` : undefined;
  }

  #files(): readonly string[] {
    this.#named ??= [
      ...this.#inFolders(this.line.reads.flatMap((path) => path ?? [])),
      ...this.line.commands.flatMap((command) => this.#namedBy(command)),
    ];
    return this.#named;
  }

  /** Printed text and search patterns name no file; every argument of another program may. */
  #namedBy({ words, pieces }: StartedCommand): readonly string[] {
    const [program = "", ...args] = words.map((word) => word ?? "");
    const hasGlobs = pieces.some(isGlob);
    const call = hasGlobs ? undefined : readCall(programOf(program), args);
    if (call && "paths" in call) return this.#inFolders(call.paths);
    const globs = pieces.filter(isGlob).flatMap((word) => this.#folders.flatMap((folder) => matchesIn(word, folder)));
    return [...this.#inFolders([...words, program].flatMap((word) => namesIn(word ?? ""))), ...globs];
  }

  #inFolders(paths: readonly string[]): readonly string[] {
    const { home } = this.situation.workspace;
    return paths.flatMap((path) => {
      const from = path.replace(/^~(?=\/|$)/, home);
      return this.#folders.map((folder) => resolveAsPrograms(folder, from));
    });
  }
}

function matchesIn(word: StartedCommand["pieces"][number], folder: string): readonly string[] {
  return (expandGlob(word, folder)?.paths ?? []).map((path) => resolveAsPrograms(folder, path));
}

const MAX_NAMES = 20;

/** `.env` in `.env`, `-f.env`, `--file=.env`, `HEAD:.env`, `@.env`. */
function namesIn(word: string): readonly string[] {
  const ends = [...word.matchAll(/[=:@,]/g)].slice(0, MAX_NAMES).map(({ index }) => word.slice(index + 1));
  const glued = /^-\w./.test(word) ? [word.slice(2), word.replace(/^-\w+/, "")] : [];
  return [word, ...ends, ...glued].filter((name) => name !== "" && !name.includes("\0") && name.length < 4_096);
}

function foldersOf({ commands }: StartedLine, cwd: string): readonly string[] {
  const folders = new Set([cwd]);
  for (const { words } of commands) {
    const [name, ...rest] = words;
    if (!/^(?:cd|pushd|popd)$/.test(name ?? "")) continue;
    const target = rest.find((word) => !word?.startsWith("-"));
    for (const folder of [...folders]) folders.add(target === undefined ? "/" : resolveAsPrograms(folder, target));
    if (folders.size > MAX_FOLDERS) return [cwd, "/"];
  }
  return [...folders];
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // the program cannot enter it either
  }
}
