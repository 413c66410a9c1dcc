import { addUpCosts, type ModelSpend, type PriceTable } from "../../session/messages/cost.js";
import type { Usage } from "../../session/messages/usage.js";
import { type Database, prepareOnce } from "../../store/sqlite.js";
import { SLOT_MS } from "../entries/ledger.js";
import type { TimeZone } from "../stats/time-zone.js";
import { SUMMED } from "./add-messages.js";
import { type Budget, isBudgetOf, type Window, windowAt } from "./budget.js";

/** What was spent of a budget in its present window. */
export interface BudgetState {
  readonly budget: Budget;
  readonly window: Window;
  /** Of a budget per session: the one that was asked for, else the one of today that spent the most. */
  readonly session: string | null; // its path
  /** At known prices. */
  readonly spentUsd: number;
  /** What they cost is not known, so more than `spentUsd` was spent. */
  readonly unpricedModels: readonly string[];
  readonly share: number; // spent of the whole
  readonly level: "fine" | "warned" | "reached";
}

export interface BudgetQuestion {
  readonly now: number;
  readonly zone: TimeZone;
  readonly prices?: PriceTable | undefined;
  /** Only what counts for this session. */
  readonly session?: { readonly path: string; readonly project: string | null } | undefined;
}

/** From the sum as it is: see `noteFile` and `refreshSpent`. */
export function judgeBudgets(db: Database, budgets: readonly Budget[], question: BudgetQuestion): BudgetState[] {
  const { session, now, zone, prices } = question;
  const reader = new SpentReader(db);
  return budgets
    .filter((budget) => !session || isBudgetOf(budget, session.project))
    .map((budget) => {
      const window = windowAt(budget.per, now, zone);
      const whose = budget.per === "session" ? (session?.path ?? reader.costliest(budget, question)) : null;
      const spent = budget.per === "session" ? reader.ofSession(whose) : reader.within(window, budget);
      return toState(budget, window, whose, addUpCosts(spent, prices));
    });
}

function toState(
  budget: Budget,
  window: Window,
  session: string | null,
  spent: ReturnType<typeof addUpCosts>,
): BudgetState {
  const { known, unpriced } = spent;
  const share = known / budget.usd;
  const level = share >= 1 ? "reached" : share >= budget.warnAt ? "warned" : "fine";
  const unpricedModels = [...new Set(unpriced.map(({ model }) => model ?? "unknown"))];
  return { budget, window, session, spentUsd: known, unpricedModels, share, level };
}

type SpentRow = Usage & { readonly model: string; readonly speed: string; readonly project: string | null };

/** Sums over all sessions of a window are read once for all budgets. */
class SpentReader {
  readonly #windows = new Map<string, SpentRow[]>();

  constructor(private readonly db: Database) {}

  within(window: Window, budget: Budget): ModelSpend[] {
    const rows = this.#windows.get(window.name) ?? this.#read(window);
    this.#windows.set(window.name, rows);
    return rows.filter(({ project }) => isBudgetOf(budget, project)).map(toSpend);
  }

  ofSession(path: string | null): ModelSpend[] {
    if (path === null) return [];
    const sql = `SELECT ${SELECTED} WHERE s.path = ? GROUP BY p.model, p.speed`;
    return prepareOnce<SpentRow>(this.db, sql).all(path).map(toSpend);
  }

  costliest(budget: Budget, { now, zone, prices }: BudgetQuestion): string | null {
    const from = slotAt(windowAt("day", now, zone).since ?? now);
    const sql = `SELECT DISTINCT s.path, s.project FROM spent p JOIN sessions s ON s.id = p.session WHERE p.slot >= ?`;
    const sessions = prepareOnce<{ path: string; project: string | null }>(this.db, sql).all(from);
    const known = sessions
      .filter(({ project }) => isBudgetOf(budget, project))
      .map(({ path }) => ({ path, usd: addUpCosts(this.ofSession(path), prices).known }));
    return known.reduce((most, one) => (one.usd > most.usd ? one : most), { path: null as string | null, usd: -1 })
      .path;
  }

  #read({ since, until }: Window): SpentRow[] {
    const [from, to] = [since === null ? -1 : slotAt(since), until === null ? Number.MAX_SAFE_INTEGER : slotAt(until)];
    const sql = `SELECT ${SELECTED} WHERE p.slot >= ? AND p.slot < ? GROUP BY s.project, p.model, p.speed`;
    return prepareOnce<SpentRow>(this.db, sql).all(from, to);
  }
}

const SUMS = SUMMED.replaceAll(/(\w+),? ?/g, (_, name: string) => `, sum(p.${name}) AS ${toCamel(name)}`);
const SELECTED = `s.project, p.model, p.speed ${SUMS} FROM spent p JOIN sessions s ON s.id = p.session`;

function toCamel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function slotAt(time: number): number {
  return Math.floor(time / SLOT_MS);
}

function toSpend({ model, speed, ...usage }: SpentRow): ModelSpend {
  return { model: model === "" ? null : model, speed: speed === "" ? null : speed, usage };
}
