import { judgeLine } from "./command/line/judge-line.js";
import { readShellTree } from "./command/shell-tree.js";
import { findForbidding } from "./forbid/find-forbidding.js";
import type { CommandPart, Judgement, Situation } from "./judgement.js";
import { exactRule } from "./rule.js";

/**
 * Judges a command line by what a parser makes of it. Rules that forbid are matched against everything that it would start, generously;
 * rules that allow against each of its commands, strictly. A command that is known to only read needs no rule.
 */
export function judgeCommand(command: string, situation: Situation): Judgement {
  const { mode, tool } = situation;
  const whole = exactRule(tool, command);
  const forbidding = findForbidding(command, situation);
  if (forbidding?.decision === "deny") return answer("deny", forbidding.reason, "rule", whole);
  if (forbidding)
    return { ...refuse(mode === "plan", forbidding.reason, []), parts: partsOf(command, forbidding.reason, situation) };
  if (mode === "bypassPermissions") return answer("allow", "", "mode", whole);
  const isPlan = mode === "plan";
  const tree = readShellTree(command);
  if (tree.kind !== "unclear") {
    const line = judgeLine(tree, situation);
    if (line.onlyReads)
      return {
        ...answer("allow", "", "mode", []),
        parts: line.parts,
        runs: line.printed,
        git: line.usesGit ? "shadow" : undefined,
      };
    const denied = line.parts.find(({ decision }) => decision === "deny");
    if (denied) return { ...answer("deny", denied.reason, "rule", []), parts: line.parts };
    if (!isPlan && namesWhole(command, situation)) return answer("allow", "", "rule", whole);
    const asked = line.parts.find(({ decision }) => decision === "ask");
    if (line.structure !== undefined) return refuse(isPlan, asked ? describe(asked) : line.structure, whole);
    if (!asked) return { ...answer("allow", "", "rule", []), parts: line.parts, runs: line.printed };
    // Rules for its parts do not allow what they do together.
    const suggestions = line.hasConflicts ? whole : line.suggestions;
    return { ...refuse(isPlan, describe(asked), suggestions), parts: line.parts };
  }
  if (!isPlan && namesWhole(command, situation)) return answer("allow", "", "rule", whole);
  return refuse(isPlan, `the command cannot be judged with certainty: ${tree.reason}`, whole);
}

/** Of a line that may do what a rule forbids: that, and each of its commands. */
function partsOf(command: string, reason: string, situation: Situation): readonly CommandPart[] {
  const tree = readShellTree(command);
  const parts = tree.kind === "unclear" ? [] : judgeLine(tree, situation).parts;
  return [{ text: "the whole line", decision: "ask", reason }, ...parts];
}

function describe({ text, reason }: CommandPart): string {
  return /^[<>&]/.test(text) ? reason : `no rule allows \`${text}\` (${reason})`;
}

function answer(
  decision: Judgement["decision"],
  reason: string,
  because: Judgement["because"],
  suggestions: readonly string[],
): Judgement {
  return { decision, reason, because, suggestions: [...new Set(suggestions)] };
}

function refuse(isPlan: boolean, reason: string, suggestions: readonly string[]): Judgement {
  if (!isPlan) return answer("ask", reason, "other", suggestions);
  return answer("deny", `in plan mode only commands that read are run (${reason})`, "mode", suggestions);
}

/** Whether a rule allows `Bash` as a whole or this exact command line. */
function namesWhole(command: string, { rules, tool }: Situation): boolean {
  return rules.allow.some(
    (rule) => rule.tool === tool && (rule.spec === undefined || rule.spec === withoutBlanks(command)),
  );
}

/** Without the spaces around it, if bash takes them for such. */
function withoutBlanks(command: string): string {
  const text = command.trim();
  const around = text === "" ? command : command.split(text).join("");
  return /[^ \t\n]/.test(around) || text.endsWith("\\") ? command : text;
}
