import { isAbsolute, resolve } from "node:path";
import { UserError } from "../../errors.js";
import { type Budget, DEFAULT_WARN_AT, isSameBudget } from "../../library/budget/budget.js";
import { formatCost } from "../../render/format-values.js";
import { type BudgetConfig, type Config, updateConfig } from "../../store/config.js";
import { dataFolderOf, type Environment } from "../settings.js";

export function toBudgets({ budgets = [] }: Config): Budget[] {
  return budgets.map(({ usd, per, project, warn, hard }) => {
    return { usd, per, project: project ?? null, warnAt: warn ?? DEFAULT_WARN_AT, isHard: hard ?? false };
  });
}

/** Returns the one that it replaces. */
export async function setBudget(budget: Budget, environment: Environment): Promise<Budget | undefined> {
  let replaced: Budget | undefined;
  await updateConfig(dataFolderOf(environment), (config) => {
    replaced = toBudgets(config).find((one) => isSameBudget(one, budget));
    config.budgets = [...others(config, budget), toConfig(budget)];
  });
  return replaced;
}

export async function removeBudget(which: Pick<Budget, "per" | "project">, environment: Environment): Promise<Budget> {
  let removed: Budget | undefined;
  let left: readonly Budget[] = [];
  await updateConfig(dataFolderOf(environment), (config) => {
    removed = toBudgets(config).find((one) => isSameBudget(one, which));
    config.budgets = others(config, which);
    left = toBudgets(config);
  });
  if (removed) return removed;
  const hint = left.length === 0 ? "there are none" : `there are ${left.map(describeBudget).join("; ")}`;
  throw new UserError("not-found", "there is no such budget", hint);
}

function others(config: Config, which: Pick<Budget, "per" | "project">): BudgetConfig[] {
  return (config.budgets ?? []).filter(({ per, project }) => !isSameBudget({ per, project: project ?? null }, which));
}

function toConfig({ usd, per, project, warnAt, isHard }: Budget): BudgetConfig {
  return { usd, per, ...(project === null ? {} : { project }), warn: warnAt, ...(isHard ? { hard: true } : {}) };
}

/** A part of the name of a project, or its folder. */
export function toProject(text: string | undefined, { cwd }: Environment): string | null {
  if (text === undefined) return null;
  if (text.trim() === "") throw new UserError("usage", "--project names no project", "for example --project shop");
  const isFolder = text === "." || text === ".." || /^\.\.?[/\\]/.test(text);
  return isFolder && !isAbsolute(text) ? resolve(cwd, text) : text;
}

/** "$20.00 a day in shop" */
export function describeBudget({ usd, per, project }: Pick<Budget, "usd" | "per" | "project">): string {
  return `${formatCost(usd)} ${WORDS[per]}${project === null ? "" : ` in ${project}`}`;
}

const WORDS = {
  session: "a session",
  day: "a day",
  week: "a week",
  month: "a month",
  total: "in all",
} as const;
