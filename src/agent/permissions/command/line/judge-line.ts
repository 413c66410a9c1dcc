import { realPath, resolveAsPrograms } from "../../../workspace.js";
import type { CommandPart, Situation } from "../../judgement.js";
import { mayWrite } from "../../path-rules.js";
import type { Rule } from "../../rule.js";
import { suggestCommandRule, suggestEditRule } from "../../suggest-rule.js";
import { judgePath, judgeReading, type Reading, toArguments } from "../judge-reading.js";
import { allowsCommand, commandText } from "../match-command.js";
import { printTree } from "../print-command.js";
import type {
  Assignment,
  Chain,
  CommandList,
  Condition,
  Loop,
  Redirect,
  ShellNode,
  SimpleCommand,
  Word,
} from "../shell-node.js";
import { changedFolder, isFolderChange, printChange } from "./change-folder.js";
import { LineSteps } from "./line-steps.js";
import { either, type Folders, isLocalName, type Moment } from "./moment.js";
import { ownName, resolveWords } from "./resolve-words.js";
import { findStructure, hasStateBuiltin } from "./structure.js";

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
  /** What it contains beyond plain commands, which is understood only if all of it only reads. */
  readonly structure?: string | undefined;
  /** A part is asked only because of what another one does. */
  readonly hasConflicts: boolean;
}

/** Judges every part of a line: first as one that only reads as a whole, then with what rules allow. */
export function judgeLine(tree: ShellNode, situation: Situation): JudgedLine {
  const alone = new LineJudge(situation, true).judge(tree);
  if (alone.onlyReads) return alone;
  const structure = findStructure(tree);
  if (structure !== undefined) return { ...alone, structure };
  const line = new LineJudge(situation, false).judge(tree);
  // What is asked in any case is told by its own reason, not by what else is in the line.
  const parts = line.parts.map((part, at) => {
    const same = alone.parts[at];
    return same?.text === part.text && same.decision === part.decision ? same : part;
  });
  return { ...line, parts };
}

/** A judged node as it is to run, and what is known behind it. */
interface Walked {
  readonly node: ShellNode;
  readonly after: Moment;
}

const SINKS = /^\/dev\/(?:null|stdout|stderr)$/;
const MAX_ROUNDS = 200;
const MAX_COMMANDS = 1_000;
/** One argument of a program may have 128 KiB. */
const MAX_PRINTED = 100_000;
const NOTHING: SimpleCommand = { kind: "command", assignments: [], words: [], redirects: [], text: "" };

class LineJudge {
  readonly #parts: CommandPart[] = [];
  readonly #suggestions: string[] = [];
  readonly #printed = new Map<SimpleCommand, string>();
  readonly #steps: LineSteps;
  #onlyReads = true;
  #usesGit = false;
  #commands = 0;
  /** A command that rules allow changed the shell itself (`export PATH=…`): what follows may mean something else. */
  #isShellChanged = false;

  constructor(
    private readonly situation: Situation,
    private readonly isAlone: boolean,
  ) {
    this.#steps = new LineSteps(situation);
  }

  judge(tree: ShellNode): JudgedLine {
    if (!this.isAlone) this.#isShellChanged = hasStateBuiltin(tree);
    const { node } = this.#walk(tree, { folders: [realPath(this.situation.workspace.cwd)], variables: new Map() });
    const printed = printTree(node, this.#printed);
    if (this.isAlone && (this.#commands > MAX_COMMANDS || printed.length > MAX_PRINTED))
      this.#refuse("the line", "it has very many commands");
    const conflicts = this.isAlone ? [] : this.#steps.findConflicts();
    for (const { step, reason } of conflicts) {
      const part: CommandPart = { text: step.text, decision: "ask", reason };
      this.#parts.splice(step.part ?? this.#parts.length, step.part === undefined ? 0 : 1, part);
    }
    return {
      parts: this.#parts,
      hasConflicts: conflicts.length > 0,
      suggestions: [...new Set(this.#suggestions)],
      onlyReads: this.#onlyReads,
      usesGit: this.#usesGit,
      printed,
    };
  }

  #walk(node: ShellNode, moment: Moment): Walked {
    switch (node.kind) {
      case "list":
        return this.#walkList(node, moment);
      case "chain":
        return this.#walkChain(node, moment);
      case "pipe": {
        const parts = this.#steps.atOnce(node.nodes.length > 1, () => node.nodes.map((it) => this.#walk(it, moment)));
        const [only] = parts;
        return {
          node: { ...node, nodes: parts.map((it) => it.node) },
          after: only && parts.length === 1 ? only.after : moment,
        };
      }
      case "group": {
        const redirects = this.#resolveRedirects(node.redirects, moment);
        this.#judgeRedirects(redirects, moment.folders);
        const { node: body, after } = this.#walk(node.body, moment);
        return { node: { ...node, body, redirects }, after: node.isSubshell ? moment : after };
      }
      case "for":
        return this.#unroll(node, moment);
      case "if":
        return this.#walkCondition(node, moment);
      case "command":
        return this.#judgeCommand(node, moment);
      default:
        return node satisfies never;
    }
  }

  #walkList({ items }: CommandList, moment: Moment): Walked & { readonly node: CommandList } {
    let after = moment;
    const judged = items.map(({ node, isBackground }) => {
      const walked = this.#walk(node, after);
      if (isBackground) this.#steps.hasBackground = true;
      else after = walked.after;
      return { node: walked.node, isBackground };
    });
    return { node: { kind: "list", items: judged }, after };
  }

  #walkChain(chain: Chain, moment: Moment): Walked {
    let after = moment;
    const nodes = chain.nodes.map((item, at) => {
      const walked = this.#walk(item, after);
      // Whether a later part of a chain runs is not known.
      after = at === 0 ? walked.after : either(after, walked.after);
      return walked.node;
    });
    return { node: { ...chain, nodes }, after };
  }

  /** A round for each word, which is known: what runs is one command after the other. */
  #unroll({ name, words, body }: Loop, moment: Moment): Walked {
    const isLocal = isLocalName(name, this.situation.workspace.variables);
    const values = isLocal ? this.#valuesOf(words, moment) : meansMore(name);
    if (typeof values === "string") {
      this.#refuse(`for ${name} in ${words.map(({ text }) => text).join(" ")}`, values);
      return { node: NOTHING, after: { folders: undefined, variables: new Map() } };
    }
    let after = moment;
    const rounds = values.map((value) => {
      const walked = this.#walkList(body, { ...after, variables: new Map([...after.variables, [name, value]]) });
      after = walked.after;
      return { node: walked.node, isBackground: false };
    });
    const nothing = { ...NOTHING };
    this.#printed.set(nothing, ":");
    const items = rounds.length > 0 ? rounds : [{ node: nothing, isBackground: false }];
    return { node: { kind: "group", isSubshell: false, body: { kind: "list", items }, redirects: [] }, after };
  }

  /** The words of a loop, or why they are not known. */
  #valuesOf(words: readonly Word[], moment: Moment): readonly string[] | string {
    if (moment.folders === undefined) return "the folder where it runs is not known";
    const place = { folders: moment.folders, isAlone: this.isAlone, printed: this.#printed };
    const found = toArguments(resolveWords(words, moment), place, this.situation);
    if ("kind" in found) return found.reason;
    if (found.length > MAX_ROUNDS) return "it has very many rounds";
    return found.some(({ isOpen, isStream }) => isOpen || isStream)
      ? "its words are known only when it runs"
      : found.map(({ value }) => value);
  }

  #walkCondition({ branches, otherwise }: Condition, moment: Moment): Walked {
    let before = moment;
    const ends: Moment[] = [];
    const judged = branches.map(({ test, body }) => {
      const tested = this.#walkList(test, before);
      before = tested.after;
      const walked = this.#walkList(body, before);
      ends.push(walked.after);
      return { test: tested.node, body: walked.node };
    });
    const last = otherwise && this.#walkList(otherwise, before);
    return {
      node: { kind: "if", branches: judged, otherwise: last?.node },
      after: either(last?.after ?? before, ...ends),
    };
  }

  #judgeCommand(written: SimpleCommand, moment: Moment): Walked {
    this.#commands += 1;
    if (this.#commands > MAX_COMMANDS) return { node: written, after: moment };
    const command = this.#resolve(written, moment);
    const { folders } = moment;
    const isAssigning = this.isAlone && command.words.length === 0 && command.assignments.length > 0;
    const assigned = isAssigning ? this.#assign(command, moment) : undefined;
    const target = changedFolder(command);
    const reading =
      assigned?.reading ?? (target === undefined ? this.#read(command, folders) : this.#change(target, folders));
    if (reading.kind === "reads") {
      this.#printed.set(command, reading.printed);
      this.#usesGit ||= reading.isGit ?? false;
      this.#steps.addReading(command, reading, folders, command.words.length > 0 ? this.#parts.length : undefined);
      if (command.words.length > 0) this.#add(written, "allow", "it only reads");
    } else this.#judgeByRules(written, reading, folders);
    this.#judgeRedirects(command.redirects, folders, command);
    if (assigned) return assigned.walked;
    if (target === undefined) {
      const isLost = reading.kind !== "reads" && isFolderChange(command);
      return { node: command, after: isLost ? { ...moment, folders: undefined } : moment };
    }
    // A folder that cannot be entered ends the line, so that nothing runs elsewhere.
    this.#printed.set(command, printChange(target));
    return { node: command, after: { ...moment, folders: folders?.map((it) => resolveAsPrograms(it, target)) } };
  }

  /** The command with what is known in place of its expansions, and with the commands judged whose output it uses. */
  #resolve(command: SimpleCommand, moment: Moment): SimpleCommand {
    const [program, ...rest] = command.words;
    const words = [...(program ? [program] : []), ...(this.isAlone ? resolveWords(rest, moment) : rest)];
    return {
      ...command,
      words: words.map((word) => this.#judgeOutputs(word, moment)),
      assignments: command.assignments.map(({ name, value }) => {
        return { name, value: this.#judgeOutputs(this.#resolveOne(value, moment), moment) };
      }),
      redirects: this.#resolveRedirects(command.redirects, moment),
    };
  }

  #resolveRedirects(redirects: readonly Redirect[], moment: Moment): readonly Redirect[] {
    return redirects.map((redirect) =>
      redirect.kind === "text" ? redirect : { ...redirect, target: this.#resolveOne(redirect.target, moment) },
    );
  }

  /** Where bash expands no braces, or accepts one word only. */
  #resolveOne(word: Word, moment: Moment): Word {
    const hasBraces = word.pieces.some(({ kind }) => kind === "braces");
    const [only, ...others] = this.isAlone && !hasBraces ? resolveWords([word], moment) : [];
    return only && others.length === 0 ? only : word;
  }

  #judgeOutputs(word: Word, moment: Moment): Word {
    const pieces = word.pieces.map((piece) =>
      piece.kind === "output" || piece.kind === "stream" ? { ...piece, of: this.#walk(piece.of, moment).node } : piece,
    );
    return { ...word, pieces };
  }

  /** `x=a`: the value is put in its place where it is used; the output of a command is kept under another name. */
  #assign(command: SimpleCommand, moment: Moment): { readonly reading: Reading; readonly walked: Walked } {
    const variables = new Map(moment.variables);
    const kept: Assignment[] = [];
    let problem: string | undefined;
    for (const { name, value } of command.assignments) {
      const isOpen = value.pieces.every(
        (piece) =>
          piece.kind === "text" || piece.kind === "output" || (piece.kind === "variable" && isKnownKind(piece)),
      );
      if (!isLocalName(name, this.situation.workspace.variables)) problem = meansMore(name);
      else if (value.value === undefined && !isOpen) problem = `\`${value.text}\` is known only when it runs`;
      else variables.set(name, value.value);
      if (value.value === undefined) kept.push({ name: ownName(name), value });
    }
    const node = { ...command, assignments: kept };
    this.#printed.set(node, kept.length > 0 ? "" : ":");
    return {
      reading: problem === undefined ? { kind: "reads", printed: "" } : { kind: "open", reason: problem },
      walked: { node, after: { ...moment, variables } },
    };
  }

  #read(command: SimpleCommand, folders: Folders): Reading {
    if (this.#isShellChanged) return { kind: "open", reason: "the line changes how the shell runs programs" };
    return judgeReading(command, { folders, isAlone: this.isAlone, printed: this.#printed }, this.situation);
  }

  #change(target: string, folders: Folders): Reading {
    const problem = folders?.map((folder) => judgePath(target, folder, this.situation)).find((it) => it !== undefined);
    if (folders === undefined) return { kind: "open", reason: "the folder where it runs is not known" };
    return problem ?? { kind: "reads", printed: printChange(target), paths: [target] };
  }

  #judgeByRules(command: SimpleCommand, reading: Exclude<Reading, { kind: "reads" }>, folders: Folders): void {
    const { tool } = this.situation;
    this.#onlyReads = false;
    if (reading.kind === "denied") {
      this.#add(command, "deny", reading.reason);
      return;
    }
    const rule = this.#findRule(command);
    if (rule) {
      this.#steps.addAllowed(command, rule, folders, this.#parts.length);
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
        this.#refuse(part, "which file it opens is known only when it runs");
      else if (/&$/.test(operator) && /^(?:\d+|-)$/.test(value)) continue;
      else if (operator === "<") this.#judgeInput(part, value, folders);
      else if (!SINKS.test(value)) this.#judgeOutput(part, value, folders, command);
    }
  }

  #refuse(text: string, reason: string): void {
    this.#onlyReads = false;
    this.#parts.push({ text, decision: "ask", reason });
  }

  /** Whatever allows the command, the file is judged by itself. */
  #judgeInput(part: string, path: string, folders: Folders): void {
    if (folders === undefined) {
      this.#refuse(part, "the folder where it runs is not known");
      return;
    }
    const problem = folders.map((folder) => judgePath(path, folder, this.situation)).find((it) => it !== undefined);
    if (!problem) {
      this.#steps.addInput(part, path, folders);
      return;
    }
    this.#onlyReads = false;
    this.#parts.push({ text: part, decision: problem.kind === "denied" ? "deny" : "ask", reason: problem.reason });
  }

  #judgeOutput(part: string, path: string, folders: Folders, command: SimpleCommand | undefined): void {
    const { workspace, mode } = this.situation;
    this.#onlyReads = false;
    if (folders === undefined) {
      this.#refuse(part, "the folder where it runs is not known");
      return;
    }
    for (const folder of folders) {
      const named = resolveAsPrograms(folder, path);
      const real = workspace.resolve(named);
      const isAllowed = mode !== "plan" && mayWrite(real, this.situation);
      if (isAllowed) this.#steps.addOutput(part, [named, real], command, this.#parts.length);
      else this.#suggestions.push(...suggestEditRule(real, workspace));
      this.#parts.push({ text: part, decision: isAllowed ? "allow" : "ask", reason: `it writes to ${real}` });
    }
  }

  #add(command: SimpleCommand, decision: CommandPart["decision"], reason: string): void {
    this.#parts.push({ text: commandText(command), decision, reason });
  }
}

/** `$?`, and what the line itself set. */
function isKnownKind({ name, isOwn }: Extract<Word["pieces"][number], { kind: "variable" }>): boolean {
  return name === "?" || (isOwn ?? false);
}

function meansMore(name: string): string {
  return `\`${name}\` may mean something to programs`;
}
