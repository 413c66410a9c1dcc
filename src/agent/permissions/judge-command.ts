import { isGuarded } from "./guarded-path.js";
import type { Judgement, Situation } from "./judgement.js";
import { commandForms, matchesCommand } from "./match-command.js";
import { matchesPath } from "./match-path.js";
import { isReadOnlyCommand, readFiles } from "./read-only-command.js";
import type { Rule } from "./rule.js";
import { splitCommand } from "./split-command.js";

/** A command line is judged by all its parts: one that is forbidden forbids it, and all must be allowed. */
export function judgeCommand(command: string, situation: Situation): Judgement {
  const { rules, mode, tool } = situation;
  const { commands, writes, reads, isUnclear } = splitCommand(command);
  const suggestion = suggestRule(commands, tool);
  const answer = (decision: Judgement["decision"], reason: string, because: Judgement["because"]): Judgement => ({
    decision,
    reason,
    because,
    suggestion,
  });
  const all = [command, ...commands];
  const find = (list: readonly Rule[]) =>
    list.filter((rule) => rule.tool === tool).find((rule) => all.some((part) => forbids(rule, part)));
  const named = [...reads, ...commands.flatMap(readFiles)];
  const denied =
    find(rules.deny) ??
    findPath(rules.deny, EDIT_TOOLS, writes, situation) ??
    findPath(rules.deny, READ_TOOLS, named, situation);
  if (denied) return answer("deny", `the rule ${denied.text} forbids it`, "rule");
  if (mode === "bypassPermissions") return answer("allow", "", "mode");
  const asked = find(rules.ask);
  if (asked) return answer("ask", `the rule ${asked.text} wants it asked`, "rule");
  const isAllowed = (part: string) => rules.allow.some((rule) => rule.tool === tool && allows(rule, part));
  const isReader = (part: string) => isReadOnly(part, situation);
  const isPlan = mode === "plan";
  if (!isPlan && namesWhole(command, situation)) return answer("allow", "", "rule");
  if (isUnclear) return refuse(isPlan, answer, "its parts cannot be told apart for certain");
  const open = commands.find((part) => !(isReader(part) || (!isPlan && isAllowed(part))));
  if (open !== undefined) return refuse(isPlan, answer, `no rule allows \`${open}\``);
  const outside = reads.find((path) => !isInside(path, situation));
  if (outside !== undefined && !commands.every(isAllowed)) return refuse(isPlan, answer, `it reads ${outside}`);
  const written = writes.find((path) => isPlan || !mayWrite(path, situation));
  if (written !== undefined) return refuse(isPlan, answer, `it writes to ${written}`);
  return answer("allow", "", commands.every(isReader) ? "mode" : "rule");
}

type AnswerWith = (decision: Judgement["decision"], reason: string, because: Judgement["because"]) => Judgement;

function refuse(isPlan: boolean, answer: AnswerWith, reason: string): Judgement {
  if (!isPlan) return answer("ask", reason, "other");
  return answer("deny", `in plan mode only commands that read are run (${reason})`, "mode");
}

function forbids({ spec }: Rule, part: string): boolean {
  return spec === undefined || commandForms(part).some((form) => matchesCommand(spec, form));
}

function allows({ spec }: Rule, part: string): boolean {
  return spec === undefined || matchesCommand(spec, part);
}

/** `Bash` without parentheses, or this very command line. */
function namesWhole(command: string, { rules, tool }: Situation): boolean {
  return rules.allow.some((rule) => rule.tool === tool && (rule.spec === undefined || rule.spec === command));
}

function isReadOnly(part: string, { workspace }: Situation): boolean {
  return isReadOnlyCommand(part, workspace.cwd, (path) => workspace.resolve(path), workspace.roots);
}

const EDIT_TOOLS: ReadonlySet<string> = new Set(["Edit", "Write"]);
const READ_TOOLS: ReadonlySet<string> = new Set(["Read"]);

function findPath(
  list: readonly Rule[],
  tools: ReadonlySet<string>,
  paths: readonly string[],
  situation: Situation,
): Rule | undefined {
  return list.find((rule) => tools.has(rule.tool) && paths.some((path) => coversPath(rule, path, situation)));
}

function isInside(path: string, { workspace }: Situation): boolean {
  return workspace.isInside(workspace.resolve(path));
}

function mayWrite(path: string, situation: Situation): boolean {
  const { workspace, mode, rules } = situation;
  if (!isInside(path, situation)) return false;
  if (mode === "acceptEdits" && !isGuarded(workspace.resolve(path))) return true;
  return findPath(rules.allow, EDIT_TOOLS, [path], situation) !== undefined;
}

function coversPath(rule: Rule, path: string, { workspace }: Situation): boolean {
  return matchesPath(rule, workspace.resolve(path), { cwd: workspace.projectRoot, home: workspace.home });
}

/** The first two words where the second is a plain one (`git diff`), else the first. */
function suggestRule(commands: readonly string[], tool: string): string {
  const [first = ""] = commands;
  const beginning = /^[\w./-]+(?: [a-z][\w:-]*)?/.exec(first)?.[0];
  return beginning === undefined ? tool : `${tool}(${beginning}:*)`;
}
