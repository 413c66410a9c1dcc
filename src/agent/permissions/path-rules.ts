import { statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { isGuarded, namesGuarded } from "./guarded-path.js";
import type { Situation } from "./judgement.js";
import { pathMatcher } from "./match-rule.js";
import type { Rule } from "./rule.js";

export const EDIT_TOOLS: ReadonlySet<string> = new Set(["Edit", "Write", "MultiEdit"]);
export const READ_TOOLS: ReadonlySet<string> = new Set(["Read"]);

/** The first rule of these tools that matches one of the paths. */
export function findPathRule(
  list: readonly Rule[],
  tools: ReadonlySet<string>,
  paths: readonly string[],
  { workspace }: Situation,
): Rule | undefined {
  const place = { cwd: workspace.projectRoot, home: workspace.home };
  const concerned = list.filter(({ tool }) => tools.has(tool));
  if (concerned.length === 0 || paths.length === 0) return undefined;
  return concerned.find((rule) => paths.some(pathMatcher(rule, place)));
}

/** A path as named, and with links resolved. */
export function bothWays(path: string, { workspace }: Situation): readonly string[] {
  const real = workspace.resolve(path);
  return real === path ? [path] : [path, real];
}

/** Whether a command may write to this file, with links resolved, without a question. */
export function mayWrite(path: string, situation: Situation): boolean {
  const { workspace, mode, rules } = situation;
  const isSteering = isGuarded(path);
  if (mode === "acceptEdits" && !isSteering && workspace.isInside(path)) return true;
  const allowing = isSteering ? rules.allow.filter(namesGuarded) : rules.allow;
  return findPathRule(allowing, EDIT_TOOLS, bothWays(path, situation).slice(-1), situation) !== undefined;
}

export function hasDenyRules({ rules }: Situation, tools: ReadonlySet<string>): boolean {
  return rules.deny.some(({ tool }) => tools.has(tool));
}

/** The memory and environment of processes, where keys are. */
export function isProcessSecret(path: string): boolean {
  return /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem|maps|root|cwd|fd)(?:\/|$)/.test(path);
}

/** A folder that contains the processes. */
export function holdsProcesses(path: string): boolean {
  return path === "/" || path === "/proc" || path.startsWith("/proc/");
}

/**
 * A file with several names may be one that a rule denies: rules know it by another name. The rule if it is known to be that file;
 * undefined: it has one name, or no rule of these tools denies any.
 */
export function findOtherName(
  path: string,
  situation: Situation,
  tools: ReadonlySet<string> = READ_TOOLS,
): Rule | "unknown" | undefined {
  const concerned = situation.rules.deny.filter(({ tool }) => tools.has(tool));
  if (concerned.length === 0) return undefined;
  const file = fileAt(path);
  if (!file || file.nlink < 2) return undefined;
  const isSame = (other: string) => {
    const found = fileAt(other);
    return found !== undefined && found.ino === file.ino && found.dev === file.dev;
  };
  return concerned.find((rule) => plainPaths(rule, path, situation).some(isSame)) ?? "unknown";
}

function fileAt(path: string): { nlink: number; ino: number; dev: number } | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? found : undefined;
  } catch {
    return undefined; // it cannot be read either
  }
}

/** The files that a rule without wildcards names: in the project, and for a bare name in each folder down to the path. */
function plainPaths({ spec, base }: Rule, path: string, { workspace }: Situation): readonly string[] {
  if (spec === undefined || /[*?[\]{}]/.test(spec)) return [];
  if (spec.startsWith("//")) return [spec.slice(1)];
  if (spec.startsWith("~/")) return [resolve(workspace.home, spec.slice(2))];
  if (spec.startsWith("/")) return [resolve(base, spec.slice(1))];
  if (spec.replace(/^\.\//, "").includes("/")) return [resolve(workspace.projectRoot, spec)];
  const folders = relative(workspace.projectRoot, dirname(path)).split("/");
  return [
    workspace.projectRoot,
    ...folders.map((_, at) => resolve(workspace.projectRoot, ...folders.slice(0, at + 1))),
  ].map((folder) => resolve(folder, spec));
}
