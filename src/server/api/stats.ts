import type { Block } from "../../library/stats/blocks.js";
import type { DailyStats, Stats } from "../../library/stats/compute-stats.js";
import type { LinkStats } from "../../library/stats/link-stats.js";
import type { Spent } from "../../library/stats/tally.js";
import type { Usage } from "../../session/messages/usage.js";

/** `GET /api/stats`. */
export interface StatsAnswer extends DailyStats {
  readonly bySession: readonly Omit<Stats["bySession"][number], "path">[];
  /** The most expensive ones. A session of several pull requests counts for all of them together; none: not known to belong to one. */
  readonly byPullRequest: LinkStats["byPullRequest"];
  /** With `by=commit` only. */
  readonly byCommit?: LinkStats["byCommit"];
  /** The whole range, divided into days, weeks or months so that a chart stays legible. */
  readonly periods: readonly Period[];
  /** Usage of each model in the period with this first day. */
  readonly byPeriodAndModel: readonly ({ readonly first: string; readonly model: string | null } & Spent)[];
  readonly byPeriodAndProject: readonly ({ readonly first: string; readonly project: string | null } & Spent)[];
  /** The share of input tokens read from the cache, 0 to 1; null without input. */
  readonly cacheHitRate: number | null;
  /** Of the last 120 days. */
  readonly blocks: readonly Block[];
  readonly dearestTurns: readonly ExpensiveTurn[];
}

export interface Period {
  readonly unit: "day" | "week" | "month";
  readonly first: string; // as `2026-01-31`
  /** The day after its last day. */
  readonly end: string;
}

export interface ExpensiveTurn {
  readonly sessionId: string;
  readonly title: string;
  readonly project: string | null;
  readonly turn: number;
  readonly at: string | null;
  readonly usage: Usage;
  readonly costUsd: number;
}
