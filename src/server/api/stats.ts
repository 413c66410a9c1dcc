import type { Block } from "../../library/stats/blocks.js";
import type { Stats } from "../../library/stats/compute-stats.js";
import type { Spent } from "../../library/stats/tally.js";
import type { Usage } from "../../session/usage.js";

/** `GET /api/stats`. */
export interface StatsAnswer
  extends Pick<Stats, "from" | "to" | "timezone" | "totals" | "byDay" | "byModel" | "byProject" | "tools"> {
  readonly bySession: readonly Omit<Stats["bySession"][number], "path">[];
  /** What each model spent on each of the last 120 days; `byDayAndProject` and `blocks` reach back as far. */
  readonly byDayAndModel: readonly ({ readonly day: string; readonly model: string | null } & Spent)[];
  readonly byDayAndProject: readonly ({ readonly day: string; readonly project: string | null } & Spent)[];
  /** From 0 to 1: the share of the input that came out of the cache; null without any. */
  readonly cacheHitRate: number | null;
  readonly blocks: readonly Block[];
  readonly dearestTurns: readonly DearTurn[];
}

export interface DearTurn {
  readonly sessionId: string;
  readonly title: string;
  readonly project: string | null;
  readonly turn: number;
  readonly at: string | null;
  readonly usage: Usage;
  readonly costUsd: number;
}
