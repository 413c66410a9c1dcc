import { sessionPaths } from "../../format/layout/session-paths.js";
import type { Budget, Period } from "../../library/budget/budget.js";
import { type BudgetQuestion, type BudgetState, judgeBudgets } from "../../library/budget/judge-budgets.js";
import { refreshSpent, refreshSpentIfFree } from "../../library/budget/refresh-spent.js";
import { spentDatabase } from "../../library/budget/spent-database.js";
import { openArchive } from "../../library/found-session.js";
import { openTimeZone } from "../../library/stats/time-zone.js";
import { useOwn } from "../../store/own-database.js";
import { ownPrices } from "../load-options.js";
import { type RootOptions, sessionRoots } from "../session-roots.js";
import { dataFolderOf, type Environment, readSettings } from "../settings.js";
import { describeBudget, toBudgets } from "./budget-settings.js";

/** A budget as it is shown; one element of `turnlog budget --json`. */
export interface BudgetRow {
  /** "$20.00 a day in shop" */
  readonly budget: string;
  readonly usd: number;
  readonly per: Period;
  readonly project: string | null;
  readonly warnAt: number; // 0 to 1
  readonly hard: boolean;
  /** The present day, week or month: `2026-11-19`, `2026-W47`, `2026-11`; null for a session, or in all. */
  readonly window: string | null;
  readonly until: string | null;
  /** Of a budget per session: the session of today that spent the most. */
  readonly sessionId: string | null;
  /** At known prices. */
  readonly spentUsd: number;
  readonly leftUsd: number; // never below 0
  readonly share: number; // above 1 when more was spent
  readonly state: "fine" | "warned" | "reached";
  /** Models without a known price: more was spent than `spentUsd`. */
  readonly unpricedModels: readonly string[];
}

/** All budgets with what was spent of them, after adding up what is new; the first time that takes reading all sessions. */
export async function viewBudgets(
  options: RootOptions & { readonly timezone?: string },
  environment: Environment,
): Promise<BudgetRow[]> {
  const budgets = toBudgets(await readSettings(environment));
  if (budgets.length === 0) return [];
  const dataFolder = dataFolderOf(environment);
  const roots = await sessionRoots(environment, options);
  const unreadable = await refreshSpent({ dataFolder, roots, archive: openArchive(dataFolder) });
  for (const { path, reason } of unreadable) environment.warn(`skipped ${path}: ${reason}`);
  const prices = await ownPrices(environment);
  return readRows(dataFolder, roots, budgets, { now: Date.now(), zone: openTimeZone(options.timezone), prices });
}

/** For the process that a hook starts, unless one is at it. */
export async function refreshBudgets(options: RootOptions, environment: Environment): Promise<void> {
  const dataFolder = dataFolderOf(environment);
  const roots = await sessionRoots(environment, options);
  await refreshSpentIfFree({ dataFolder, roots, archive: openArchive(dataFolder) });
}

function readRows(
  dataFolder: string,
  roots: readonly string[],
  budgets: readonly Budget[],
  question: BudgetQuestion,
): BudgetRow[] {
  return useOwn(spentDatabase(dataFolder, roots), (db) => judgeBudgets(db, budgets, question)).map(toRow);
}

function toRow({ budget, window, session, spentUsd, share, level, unpricedModels }: BudgetState): BudgetRow {
  const { usd, per, project, warnAt, isHard } = budget;
  return {
    budget: describeBudget(budget),
    ...{ usd, per, project, warnAt, hard: isHard },
    window: window.name === "" ? null : window.name,
    until: window.until === null ? null : new Date(window.until).toISOString(),
    sessionId: session === null ? null : sessionPaths(session).id,
    ...{ spentUsd, leftUsd: Math.max(0, usd - spentUsd), share, state: level, unpricedModels },
  };
}
