import { parse } from "unbash";
import { resolveAsPrograms, type Workspace } from "../workspace.js";
import { isGuarded, namesGuarded } from "./guarded-path.js";
import type { Judgement, Situation } from "./judgement.js";
import { commandForms, isRunner, matchesCommand, pathMatcher } from "./match-rule.js";
import { changedFolder, isFolderSearch, isReadOnlyCommand, readFiles } from "./read-only-command.js";
import type { Rule } from "./rule.js";
import { type CommandParts, splitCommand } from "./shell-syntax.js";
import { suggestCommandRule, suggestEditRule } from "./suggest-rule.js";

/** Judges a command line by its parts: one denied part denies it, and all parts must be allowed. */
export function judgeCommand(command: string, situation: Situation): Judgement {
  const { rules, mode, tool } = situation;
  const parts = splitCommand(command);
  const line = { ...parts, command, folders: foldersOf(parts, situation.workspace) };
  const whole = [`${tool}(${command})`];
  const denied = findForbidding(rules.deny, line, situation);
  if (denied) return answer("deny", `denied by the rule ${denied.text}`, "rule", whole);
  if (mode === "bypassPermissions") return answer("allow", "", "mode", whole);
  const asked = findCommand(rules.ask, line, tool);
  if (asked) return answer("ask", `the rule ${asked.text} requires approval`, "rule", whole);
  const isPlan = mode === "plan";
  if (!isPlan && namesWhole(command, situation)) return answer("allow", "", "rule", whole);
  if (line.isUnclear || parse(command).errors)
    return refuse(isPlan, "the command cannot be parsed with certainty", whole);
  return judgeParts(line, situation);
}

interface Line extends CommandParts {
  readonly command: string;
  /** Folders where its commands may run: the working directory, and those it changes to. */
  readonly folders: readonly string[];
}

const MAX_FOLDERS = 32;

function foldersOf({ commands }: CommandParts, { cwd }: Workspace): readonly string[] {
  const folders = new Set([cwd]);
  for (const command of commands) {
    for (const folder of [...folders]) {
      const target = changedFolder(command, folder);
      if (target !== undefined) folders.add(target);
      // After `cd` to an unknown folder, the command may run anywhere.
      else if (/^(?:cd|pushd|popd)(?:\s|$)/.test(command)) folders.add("/");
    }
    if (folders.size > MAX_FOLDERS) return [cwd, "/"];
  }
  return [...folders];
}

function judgeParts(line: Line, situation: Situation): Judgement {
  const { commands, folders, reads, writes } = line;
  const { rules, mode, tool, workspace } = situation;
  const isPlan = mode === "plan";
  const isAllowed = (part: string) => !isPlan && rules.allow.some((rule) => rule.tool === tool && allows(rule, part));
  const isReader = (part: string) => isReadOnlyCommand(part, folders, workspace) && !mayShowForbidden(part, situation);
  const everywhere = (paths: readonly string[]) =>
    paths.flatMap((path) => folders.map((folder) => workspace.resolve(resolveAsPrograms(folder, path))));
  const isInside = (path: string) => workspace.isInside(path);
  const open = commands.filter((part) => !(isReader(part) || isAllowed(part)));
  const outside = commands.every(isAllowed) ? [] : everywhere(reads).filter((path) => !isInside(path));
  const readers = outside.length > 0 ? commands.filter((part) => !isAllowed(part)) : open;
  const written = everywhere(writes).filter((path) => isPlan || !mayWrite(path, situation));
  const suggestions = [
    ...readers.map((part) => suggestCommandRule(part, tool)),
    ...written.map((path) => suggestEditRule(path, workspace)),
  ];
  if (open[0] !== undefined) return refuse(isPlan, `no rule allows \`${open[0]}\``, suggestions);
  if (outside[0] !== undefined) return refuse(isPlan, `it reads ${outside[0]}`, suggestions);
  if (written[0] !== undefined) return refuse(isPlan, `it writes to ${written[0]}`, suggestions);
  return answer("allow", "", commands.every(isReader) ? "mode" : "rule", suggestions);
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

function findForbidding(rules: readonly Rule[], line: Line, situation: Situation): Rule | undefined {
  const { commands, folders, reads, writes } = line;
  const inFolders = (paths: readonly string[]) =>
    paths.flatMap((path) => (path.startsWith("~") ? path : folders.map((folder) => resolveAsPrograms(folder, path))));
  return (
    findCommand(rules, line, situation.tool) ??
    findPath(rules, EDIT_TOOLS, bothWays(inFolders(writes), situation), situation) ??
    findPath(
      rules,
      READ_TOOLS,
      bothWays([...inFolders(reads), ...commands.flatMap((part) => readFiles(part, folders))], situation),
      situation,
    )
  );
}

function findCommand(rules: readonly Rule[], { command, commands, inputs }: Line, tool: string): Rule | undefined {
  const concerned = rules.filter((rule) => rule.tool === tool);
  if (concerned.length === 0) return undefined;
  const scripts = commands.some(isRunner) ? inputs.flatMap((input) => splitCommand(input).commands) : [];
  const forms = [command, ...commands, ...scripts].flatMap((part) => commandForms(part));
  return concerned.find(({ spec }) => spec === undefined || forms.some((form) => matchesCommand(spec, form)));
}

/** A folder search may show a file that a deny rule hides. */
function mayShowForbidden(part: string, { rules }: Situation): boolean {
  return isFolderSearch(part) && rules.deny.some(({ tool }) => READ_TOOLS.has(tool));
}

function allows({ spec }: Rule, part: string): boolean {
  return spec === undefined || matchesCommand(spec, part);
}

/** Whether a rule allows `Bash` as a whole or this exact command line. */
function namesWhole(command: string, { rules, tool }: Situation): boolean {
  return rules.allow.some((rule) => rule.tool === tool && (rule.spec === undefined || rule.spec === command.trim()));
}

const EDIT_TOOLS: ReadonlySet<string> = new Set(["Edit", "Write", "MultiEdit"]);
const READ_TOOLS: ReadonlySet<string> = new Set(["Read"]);

function findPath(
  list: readonly Rule[],
  tools: ReadonlySet<string>,
  paths: readonly string[],
  { workspace }: Situation,
): Rule | undefined {
  const place = { cwd: workspace.projectRoot, home: workspace.home };
  const concerned = list.filter(({ tool }) => tools.has(tool));
  if (concerned.length === 0) return undefined;
  return concerned.find((rule) => paths.some(pathMatcher(rule, place)));
}

/** Paths as named, and with links resolved. */
function bothWays(paths: readonly string[], { rules, workspace }: Situation): readonly string[] {
  const isAsked = rules.deny.some(({ tool }) => EDIT_TOOLS.has(tool) || READ_TOOLS.has(tool));
  return isAsked ? [...new Set(paths.flatMap((path) => [path, workspace.resolve(path)]))] : [];
}

function mayWrite(path: string, situation: Situation): boolean {
  const { workspace, mode, rules } = situation;
  const isSteering = isGuarded(path);
  if (mode === "acceptEdits" && !isSteering && workspace.isInside(path)) return true;
  const allowing = isSteering ? rules.allow.filter(namesGuarded) : rules.allow;
  return findPath(allowing, EDIT_TOOLS, [path], situation) !== undefined;
}
