import { realPath, resolveAsPrograms } from "../../workspace.js";
import { isGuarded, namesGuarded } from "../guarded-path.js";
import type { CommandPart, Situation } from "../judgement.js";
import { bothWays, EDIT_TOOLS, findPathRule } from "../path-rules.js";
import type { Rule } from "../rule.js";
import { suggestCommandRule, suggestEditRule } from "../suggest-rule.js";
import { judgePath, judgeReading, type Reading } from "./judge-reading.js";
import { allowsCommand, commandText } from "./match-command.js";
import { printTree, quote } from "./print-command.js";
import { readCall } from "./read-call.js";
import type { Redirect, ShellNode, SimpleCommand } from "./shell-node.js";
import { isStateBuiltin } from "./started-programs.js";

/** What is found of a whole line. */
export interface JudgedLine {
  readonly parts: readonly CommandPart[];
  readonly suggestions: readonly string[];
  /** Every part only reads. */
  readonly onlyReads: boolean;
  /** A part of it is a git command that only reads: on a shadow of the repository. */
  readonly usesGit: boolean;
  /** The judged line as text: what is to run. */
  readonly printed: string;
}

/** Judges every part of a line: first as one that only reads as a whole, then with what rules allow. */
export function judgeLine(tree: ShellNode, situation: Situation): JudgedLine {
  const alone = new LineJudge(situation, true).judge(tree);
  if (alone.onlyReads) return alone;
  const line = new LineJudge(situation, false).judge(tree);
  // What is asked in any case is told by its own reason, not by what else is in the line.
  const parts = line.parts.map((part, at) => {
    const same = alone.parts[at];
    return same?.text === part.text && same.decision === part.decision ? same : part;
  });
  return { ...line, parts };
}

/** Folders where a command may run; undefined: anywhere. */
type Folders = readonly string[] | undefined;

const MAX_FOLDERS = 32;
const SINKS = /^\/dev\/(?:null|stdout|stderr)$/;

class LineJudge {
  readonly #parts: CommandPart[] = [];
  readonly #suggestions: string[] = [];
  readonly #printed = new Map<SimpleCommand, string>();
  #onlyReads = true;
  #usesGit = false;
  /** A command that rules allow changed the shell itself (`export PATH=…`): what follows may mean something else. */
  #isShellChanged = false;

  constructor(
    private readonly situation: Situation,
    private readonly isAlone: boolean,
  ) {}

  judge(tree: ShellNode): JudgedLine {
    if (!this.isAlone) this.#isShellChanged = hasStateBuiltin(tree);
    this.#walk(tree, [realPath(this.situation.workspace.cwd)]);
    return {
      parts: this.#parts,
      suggestions: [...new Set(this.#suggestions)],
      onlyReads: this.#onlyReads,
      usesGit: this.#usesGit,
      printed: printTree(tree, this.#printed),
    };
  }

  /** Returns where the commands after this node may run. */
  #walk(node: ShellNode, folders: Folders): Folders {
    switch (node.kind) {
      case "list":
        return node.items.reduce((place, { node: item, isBackground }) => {
          const after = this.#walk(item, place);
          return isBackground ? place : after;
        }, folders);
      case "chain":
        // Whether a later part of a chain runs is not known: afterwards both folders are possible.
        return node.nodes.reduce<Folders>((place, item, at) => {
          const after = this.#walk(item, place);
          return at === 0 ? after : both(place, after);
        }, folders);
      case "pipe": {
        const ends = node.nodes.map((item) => this.#walk(item, folders));
        return node.nodes.length === 1 ? ends[0] : folders;
      }
      case "group": {
        this.#judgeRedirects(node.redirects, folders);
        const after = this.#walk(node.body, folders);
        return node.isSubshell ? folders : after;
      }
      case "command":
        return this.#judgeCommand(node, folders);
      default:
        return node satisfies never;
    }
  }

  #judgeCommand(command: SimpleCommand, folders: Folders): Folders {
    for (const word of [...command.words, ...command.assignments.map(({ value }) => value)])
      for (const piece of word.pieces) if (piece.kind === "output") this.#walk(piece.of, folders);
    const target = changedFolder(command);
    const reading = target === undefined ? this.#read(command, folders) : this.#change(target, folders);
    if (reading.kind === "reads") {
      this.#printed.set(command, reading.printed);
      this.#usesGit ||= reading.isGit ?? false;
      if (command.words.length > 0) this.#add(command, "allow", "it only reads");
    } else this.#judgeByRules(command, reading);
    this.#judgeRedirects(command.redirects, folders, command);
    if (target === undefined) return reading.kind !== "reads" && isFolderChange(command) ? undefined : folders;
    // A folder that cannot be entered ends the line, so that nothing runs elsewhere.
    this.#printed.set(command, printChange(target));
    return folders?.map((folder) => resolveAsPrograms(folder, target));
  }

  #read(command: SimpleCommand, folders: Folders): Reading {
    if (this.#isShellChanged) return { kind: "open", reason: "the line changes how the shell runs programs" };
    return judgeReading(command, { folders, isAlone: this.isAlone }, this.situation);
  }

  #change(target: string, folders: Folders): Reading {
    const problem = folders?.map((folder) => judgePath(target, folder, this.situation)).find((it) => it !== undefined);
    if (folders === undefined) return { kind: "open", reason: "the folder where it runs is not known" };
    return problem ?? { kind: "reads", printed: printChange(target) };
  }

  #judgeByRules(command: SimpleCommand, reading: Exclude<Reading, { kind: "reads" }>): void {
    const { tool } = this.situation;
    this.#onlyReads = false;
    if (reading.kind === "denied") {
      this.#add(command, "deny", reading.reason);
      return;
    }
    const rule = this.#findRule(command);
    if (rule) {
      this.#add(command, "allow", `the rule ${rule.text} allows it`);
      return;
    }
    this.#suggestions.push(...suggestCommandRule(command, tool));
    this.#add(command, "ask", reading.reason);
  }

  #findRule(command: SimpleCommand): Rule | undefined {
    const { rules, mode, tool } = this.situation;
    if (mode === "plan") return undefined;
    return rules.allow.find((it) => it.tool === tool && (it.spec === undefined || allowsCommand(it.spec, command)));
  }

  #judgeRedirects(redirects: readonly Redirect[], folders: Folders, command?: SimpleCommand): void {
    for (const redirect of redirects) {
      if (redirect.kind === "text") continue;
      const { operator, target } = redirect;
      const { value } = target;
      const part = `${operator} ${target.text}`;
      if (value === undefined || target.pieces.some(({ kind }) => kind === "glob") || operator === "<>")
        this.#openRedirect(part, "which file it opens is known only when it runs");
      else if (/&$/.test(operator) && /^(?:\d+|-)$/.test(value)) continue;
      else if (operator === "<") this.#judgeInput(part, value, folders, command);
      else if (!SINKS.test(value)) this.#judgeOutput(part, value, folders);
    }
  }

  #openRedirect(text: string, reason: string): void {
    this.#onlyReads = false;
    this.#parts.push({ text, decision: "ask", reason });
  }

  /** A command that a rule allows may read what it is given. */
  #judgeInput(part: string, path: string, folders: Folders, command: SimpleCommand | undefined): void {
    if (folders === undefined) {
      this.#openRedirect(part, "the folder where it runs is not known");
      return;
    }
    const problem = folders.map((folder) => judgePath(path, folder, this.situation)).find((it) => it !== undefined);
    if (!problem) return;
    this.#onlyReads = false;
    if (problem.kind === "open" && command && this.#findRule(command)) return;
    this.#parts.push({ text: part, decision: problem.kind === "denied" ? "deny" : "ask", reason: problem.reason });
  }

  #judgeOutput(part: string, path: string, folders: Folders): void {
    const { workspace, mode } = this.situation;
    this.#onlyReads = false;
    if (folders === undefined) {
      this.#openRedirect(part, "the folder where it runs is not known");
      return;
    }
    for (const folder of folders) {
      const named = resolveAsPrograms(folder, path);
      const real = workspace.resolve(named);
      const isAllowed = mode !== "plan" && mayWrite(real, this.situation);
      if (!isAllowed) this.#suggestions.push(...suggestEditRule(real, workspace));
      this.#parts.push({ text: part, decision: isAllowed ? "allow" : "ask", reason: `it writes to ${real}` });
    }
  }

  #add(command: SimpleCommand, decision: CommandPart["decision"], reason: string): void {
    this.#parts.push({ text: commandText(command), decision, reason });
  }
}

function both(left: Folders, right: Folders): Folders {
  if (left === undefined || right === undefined) return undefined;
  const folders = [...new Set([...left, ...right])];
  return folders.length > MAX_FOLDERS ? undefined : folders;
}

/** The target of a plain `cd`; undefined: it is none. */
function changedFolder({ words, assignments }: SimpleCommand): string | undefined {
  const [name, ...rest] = words.filter(({ value }, at) => at !== 1 || value !== "--");
  const [target] = rest;
  if (name?.value !== "cd" || rest.length !== 1 || assignments.length > 0 || !target?.value) return undefined;
  const isPlain = !target.value.startsWith("-") && !target.pieces.some(({ kind }) => kind === "glob");
  return isPlain ? target.value : undefined;
}

function isFolderChange({ words }: SimpleCommand): boolean {
  return /^(?:cd|pushd|popd|eval|source|\.|builtin|command)$/.test(words[0]?.value ?? "");
}

/** Neither CDPATH nor links before `..` lead it to another folder than the one that was judged. */
function printChange(target: string): string {
  const path = /^(?:\/|\.{1,2}(?:\/|$))/.test(target) ? target : `./${target}`;
  return `{ cd -P -- ${quote(path)} || exit; }`;
}

function hasStateBuiltin(node: ShellNode): boolean {
  switch (node.kind) {
    case "list":
      return node.items.some(({ node: item }) => hasStateBuiltin(item));
    case "chain":
    case "pipe":
      return node.nodes.some(hasStateBuiltin);
    case "group":
      return hasStateBuiltin(node.body);
    case "command":
      return changesShell(node);
    default:
      return node satisfies never;
  }
}

function changesShell({ words, assignments }: SimpleCommand): boolean {
  const [program = "", ...args] = words.map(({ value }) => value ?? "");
  if (words.length === 0) return assignments.length > 0;
  return isStateBuiltin(program) && !("paths" in readCall(program, args));
}

function mayWrite(path: string, situation: Situation): boolean {
  const { workspace, mode, rules } = situation;
  const isSteering = isGuarded(path);
  if (mode === "acceptEdits" && !isSteering && workspace.isInside(path)) return true;
  const allowing = isSteering ? rules.allow.filter(namesGuarded) : rules.allow;
  return findPathRule(allowing, EDIT_TOOLS, bothWays(path, situation).slice(-1), situation) !== undefined;
}
