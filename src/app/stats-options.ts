import { UserError } from "../errors.js";
import { hasRealDay, parseMoment, type SessionFilter } from "../library/load/session-summary.js";
import { addDays, type TimeZone } from "../library/stats/time-zone.js";
import { type FilterOptions, toFilter } from "./filter-options.js";

/** The tables of the statistics, named after what a row is. */
export const TABLES = [
  "day",
  "week",
  "month",
  "project",
  "model",
  "session",
  "branch",
  "pr",
  "commit",
  "tool",
] as const;
export type TableName = (typeof TABLES)[number];

export function toTableName(by: string | undefined): TableName | undefined {
  const name = TABLES.find((table) => table === by);
  if (by === undefined || name) return name;
  throw new UserError("usage", `--by must be one of ${TABLES.join(", ")}, not "${by}"`, "for example --by month");
}

/** Days in the filter start at midnight in the given time zone. */
export function toStatsFilter(options: FilterOptions, zone: TimeZone, now: number): SessionFilter {
  const { since, until, ...rest } = options;
  return {
    ...toFilter(rest),
    ...(since === undefined ? {} : { since: momentIn(zone, since, now) }),
    ...(until === undefined ? {} : { until: momentIn(zone, until, now) }),
  };
}

function momentIn(zone: TimeZone, text: string, now: number): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && hasRealDay(text)) return zone.startOfDay(text);
  if (text === "today") return zone.startOfDay(zone.dayOf(now));
  if (text === "yesterday") return zone.startOfDay(addDays(zone.dayOf(now), -1));
  return parseMoment(text, now);
}
