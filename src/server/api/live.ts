import type { BudgetRow } from "../../app/budget/view-budgets.js";
import type { LiveRow } from "../../app/live/view-live.js";
import type { Spent } from "../../library/stats/tally.js";

/** `GET /api/live`: sessions that run on this machine, and those that ended in the last ten minutes; what needs a person first. */
export interface LiveAnswer {
  readonly sessions: readonly RunningSession[];
}

export interface RunningSession extends Omit<LiveRow, "path"> {
  /** The state in words: `waits for permission: Bash: npm test`. */
  readonly stateText: string;
  /** Does not continue by itself: it waits for a permission or an answer, or is stuck. */
  readonly needsYou: boolean;
  /** Null where nothing was written yet. */
  readonly files: ChangedFiles | null;
}

/** Files that a session and its sub-agents changed. */
export interface ChangedFiles {
  readonly count: number;
  /** Those changed last, as named below the session's folder. */
  readonly latest: readonly string[];
}

/** `GET /api/spent`: tokens and cost of all sessions, today and since Monday. */
export interface SpentAnswer {
  readonly today: Spent;
  readonly week: Spent;
  /** Days, as `2026-01-31`. */
  readonly todayStart: string;
  readonly weekStart: string;
}

/** `GET /api/budgets`: what is spent of each budget and what is left; the one of which most is spent first. */
export interface BudgetsAnswer {
  readonly budgets: readonly BudgetRow[];
}
