import { readLibraryNumbers } from "../../library/catalog/library-numbers.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import { computeStats } from "../../library/stats/compute-stats.js";
import type { Spent } from "../../library/stats/tally.js";
import type { TimeZone } from "../../library/stats/time-zone.js";
import type { Database } from "../../store/sqlite.js";
import type { SpentAnswer } from "../api/live.js";
import { startOfWeek } from "./stats.js";

interface SpentRequest {
  readonly roots: readonly string[];
  readonly zone: TimeZone;
  readonly now: number;
  readonly options: LoadOptions;
}

export function viewSpent(db: Database, { roots, zone, now, options }: SpentRequest): SpentAnswer {
  const today = zone.dayOf(now);
  const weekStart = startOfWeek(today);
  const since = (day: string): Spent => {
    const numbers = readLibraryNumbers(db, roots, { since: zone.startOfDay(day) }, options);
    return computeStats(numbers, { zone, prices: options.prices }).totals;
  };
  return { today: since(today), week: since(weekStart), todayStart: today, weekStart };
}
