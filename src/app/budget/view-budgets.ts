import { sessionPaths } from "../../format/layout/session-paths.js";
import type { Period } from "../../library/budget/budget.js";
import { type BudgetState, judgeBudgets } from "../../library/budget/judge-budgets.js";
import { noteFile, projectOf } from "../../library/budget/note-file.js";
import { refreshSpent, refreshSpentIfFree } from "../../library/budget/refresh-spent.js";
import { readMeta, spentDatabase } from "../../library/budget/spent-database.js";
import { openArchive } from "../../library/found-session.js";
import { filesOfSession } from "../../library/sources/walk-library.js";
import { openTimeZone } from "../../library/stats/time-zone.js";
import { useOwn, useOwnLonger } from "../../store/own-database.js";
import { type RootOptions, sessionRoots } from "../session-roots.js";
import { dataFolderOf, type Environment, ownPrices, readSettings } from "../settings.js";
import { describeBudget, toBudgets } from "./budget-settings.js";
import { MAX_BYTES, REFRESH_MS } from "./check-budgets.js";

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
  { roots, timezone }: { readonly roots: readonly string[]; readonly timezone?: string | undefined },
  environment: Environment,
): Promise<BudgetRow[]> {
  const budgets = toBudgets(await readSettings(environment));
  if (budgets.length === 0) return [];
  const dataFolder = dataFolderOf(environment);
  const unreadable = await refreshSpent({ dataFolder, roots, archive: openArchive(dataFolder) });
  for (const { path, reason } of unreadable) environment.warn(`skipped ${path}: ${reason}`);
  const prices = await ownPrices(environment);
  const question = { now: Date.now(), zone: openTimeZone(timezone), prices };
  return useOwn(spentDatabase(dataFolder, roots), (db) => judgeBudgets(db, budgets, question)).map(toRow);
}

/** The budget of which most is spent, of those that count for a session; as known, with what the session itself wrote since. */
export async function glanceAtBudgets(
  { roots, session }: { readonly roots: readonly string[]; readonly session: string | undefined },
  environment: Environment,
  startRefresh: () => void,
): Promise<BudgetRow | undefined> {
  const budgets = toBudgets(await readSettings(environment));
  if (budgets.length === 0) return undefined;
  const dataFolder = dataFolderOf(environment);
  const prices = await ownPrices(environment);
  return useOwnLonger(spentDatabase(dataFolder, roots), async (db) => {
    const now = Date.now();
    const refreshed = readMeta(db, "refreshed");
    if (refreshed === undefined || now - refreshed > REFRESH_MS) startRefresh();
    if (refreshed === undefined) return undefined;
    const files = session === undefined ? [] : filesOfSession(session, openArchive(dataFolder));
    for (const file of files) await noteFile(db, file, MAX_BYTES);
    const whose = session === undefined ? undefined : { path: session, project: projectOf(db, session) };
    const states = judgeBudgets(db, budgets, { now, zone: openTimeZone(), prices, session: whose });
    return states.map(toRow).toSorted((a, b) => b.share - a.share)[0];
  });
}

/** For the process that a hook starts, unless one is at it. */
export async function refreshBudgets(options: RootOptions, environment: Environment): Promise<void> {
  const dataFolder = dataFolderOf(environment);
  const roots = await sessionRoots(environment, options);
  await refreshSpentIfFree({ dataFolder, roots, archive: openArchive(dataFolder) });
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
