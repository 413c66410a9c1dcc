import { BUNDLED_PRICES } from "../../session/cost.js";
import type { Database } from "../../store/sqlite.js";
import { keptAnswer } from "../indexed/kept-answers.js";
import { readLibraryNumbers } from "../indexed/library-numbers.js";
import { computeStats, type DailyStats, type ShortStats, type Stats, type StatsOptions } from "./compute-stats.js";

/** The statistics of all sessions below the roots; the index keeps them until a session changes. */
export function readShortStats(db: Database, roots: readonly string[], options: StatsOptions): ShortStats {
  const { zone, prices = BUNDLED_PRICES } = options;
  return keptAnswer(db, ["stats", roots, zone.name, prices], () =>
    toShortStats(computeStats(readLibraryNumbers(db, roots, {}), options)),
  );
}

export function toShortStats(stats: Stats): ShortStats {
  return { ...toDailyStats(stats), byWeek: stats.byWeek, byMonth: stats.byMonth };
}

/** Field by field: to copy all would make the long tables. */
export function toDailyStats(stats: Stats): DailyStats {
  return {
    from: stats.from,
    to: stats.to,
    timezone: stats.timezone,
    totals: stats.totals,
    byDay: stats.byDay,
    byModel: stats.byModel,
    byProject: stats.byProject,
    tools: stats.tools,
  };
}
