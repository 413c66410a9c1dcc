import type { Action } from "../tools/tool.js";
import { isInGitData } from "./git-places.js";
import { describeGuarded, isGuarded, namesGuarded } from "./guarded-path.js";
import { judgeCommand } from "./judge-command.js";
import type { Judgement, Situation } from "./judgement.js";
import { pathMatcher } from "./match-rule.js";
import { EDIT_TOOLS, findOtherName, hasDenyRules, isProcessSecret, READ_TOOLS as READ_RULES } from "./path-rules.js";
import { exactRule, type Rule } from "./rule.js";
import { suggestEditRule, suggestPathRule } from "./suggest-rule.js";

/** Deny rules first, then ask, then allow; without a matching rule the mode decides. */
export function judge(action: Action, situation: Situation): Judgement {
  if (action.kind === "shell") return judgeCommand(action.command, situation);
  const { rules } = situation;
  const suggestions = suggestRules(action, situation);
  const find = (list: readonly Rule[], isGrant = false) =>
    list.find((rule) => matches(rule, action, situation, isGrant));
  const denied = find(rules.deny);
  if (denied) return { decision: "deny", reason: `denied by the rule ${denied.text}`, because: "rule", suggestions };
  const hidden = judgeOtherName(action, situation);
  if (hidden) return { ...hidden, because: "rule", suggestions: [] };
  if (situation.mode === "bypassPermissions") return allowed("mode", suggestions);
  const asked = find(rules.ask);
  if (asked && action.kind !== "talk")
    return { decision: "ask", reason: `the rule ${asked.text} requires approval`, because: "rule", suggestions };
  if (situation.mode === "plan" && action.kind === "edit") return planRefusal(suggestions);
  const isSteering = action.kind === "edit" && isGuarded(action.path);
  if (find(isSteering ? rules.allow.filter(namesGuarded) : rules.allow, true)) return allowed("rule", suggestions);
  return byMode(action, situation, suggestions);
}

/** The environment of a process, and other names of a file that a rule denies. */
function judgeOtherName(action: Action, situation: Situation): Pick<Judgement, "decision" | "reason"> | undefined {
  if (action.kind !== "read" && action.kind !== "edit") return undefined;
  const { path } = action;
  const isRead = action.kind === "read";
  if (isRead && isProcessSecret(path))
    return { decision: "ask", reason: `${path} shows the environment or memory of a process` };
  if (isRead && hasDenyRules(situation, READ_RULES) && isInGitData(path))
    return { decision: "ask", reason: `${path} belongs to git, which may have files that a rule denies` };
  const other = findOtherName(path, situation, isRead ? undefined : EDIT_TOOLS);
  if (other === undefined) return undefined;
  if (other === "unknown")
    return { decision: "ask", reason: `${path} has other names, and a rule may deny one of them` };
  return { decision: "deny", reason: `denied by the rule ${other.text}, by another name of the file` };
}

function planRefusal(suggestions: readonly string[]): Judgement {
  const reason = "in plan mode nothing is changed; finish the plan and call ExitPlanMode";
  return { decision: "deny", reason, because: "mode", suggestions };
}

function allowed(because: Judgement["because"], suggestions: readonly string[]): Judgement {
  return { decision: "allow", reason: "", because, suggestions };
}

function byMode(action: Action, { mode, workspace, tool }: Situation, suggestions: readonly string[]): Judgement {
  const ask = (reason: string): Judgement => ({ decision: "ask", reason, because: "mode", suggestions });
  switch (action.kind) {
    case "harmless":
    case "talk":
      return allowed("mode", suggestions);
    case "read":
      return workspace.isInside(action.path)
        ? allowed("mode", suggestions)
        : ask(`${action.path} is outside of the project`);
    case "edit":
      if (!workspace.isInside(action.path)) return ask(`${action.path} is outside of the project`);
      if (isGuarded(action.path)) return ask(describeGuarded(action.path));
      return mode === "acceptEdits" ? allowed("mode", suggestions) : ask(`${tool} wants to change ${action.path}`);
    case "fetch":
      return ask(`${tool} wants to fetch from ${action.domain}`);
    case "search-web":
      return ask(`${tool} wants to search the web`);
    case "shell":
      return ask("a command");
    default:
      return action satisfies never;
  }
}

const READ_TOOLS = new Set(["Read", "Glob", "Grep"]);

function matches(rule: Rule, action: Action, { tool, workspace }: Situation, isGrant: boolean): boolean {
  const place = { cwd: workspace.projectRoot, home: workspace.home };
  const fits = ({ path, named = path }: { path: string; named?: string }) =>
    (isGrant ? [path] : [path, named]).some(pathMatcher(rule, place));
  switch (action.kind) {
    case "read":
      return (rule.tool === tool || (rule.tool === "Read" && READ_TOOLS.has(tool))) && fits(action);
    case "edit":
      return (rule.tool === tool || (EDIT_TOOLS.has(rule.tool) && EDIT_TOOLS.has(tool))) && fits(action);
    case "fetch":
      return rule.tool === tool && (rule.spec === undefined || matchesDomain(rule.spec, action.domain, isGrant));
    default:
      return rule.tool === tool && rule.spec === undefined;
  }
}

/** `*.` matches subdomains. Without it an allow rule matches this host only, a deny or ask rule also its subdomains. */
function matchesDomain(spec: string, domain: string, isGrant: boolean): boolean {
  const wanted = spec.replace(/^domain:/, "").toLowerCase();
  const actual = domain.toLowerCase().replace(/\.$/, "");
  if (wanted === "*" || actual === wanted) return true;
  return wanted.startsWith("*.") ? actual.endsWith(wanted.slice(1)) : !isGrant && actual.endsWith(`.${wanted}`);
}

function suggestRules(action: Action, { tool, workspace }: Situation): readonly string[] {
  if (action.kind === "edit") return suggestEditRule(action.path, workspace);
  if (action.kind === "read") return suggestPathRule("Read", action.path);
  return action.kind === "fetch" ? exactRule(tool, `domain:${action.domain}`) : [tool];
}
