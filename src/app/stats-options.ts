import { type Command, Option } from "commander";
import { UserError } from "../errors.js";
import { hasRealDay, parseMoment, type SessionFilter } from "../library/load/session-summary.js";
import { addDays, type TimeZone } from "../library/stats/time-zone.js";
import { addFilterOptions, addIndexOption, type FilterOptions, type IndexOptions, toFilter } from "./filter-options.js";
import type { RootOptions } from "./session-roots.js";

/** The tables of `--by`, and what each of their rows is called. */
export const TABLES = ["day", "week", "month", "project", "model", "session", "branch", "tool"] as const;
export type TableName = (typeof TABLES)[number];

export interface StatsCommandOptions extends FilterOptions, RootOptions, IndexOptions {
  readonly by?: string;
  readonly blocks?: boolean;
  readonly statusline?: boolean;
  readonly explain?: string;
  readonly timezone?: string;
  readonly reveal?: boolean;
  readonly json?: boolean;
  readonly csv?: boolean;
}

/** What a single session or the status line has no use for. */
const CHOICES = [
  "project",
  "since",
  "until",
  "model",
  "gitBranch",
  "errors",
  "tool",
  "tag",
  "favourites",
  "source",
  "limit",
];

export function addStatsOptions(command: Command): Command {
  const oneWay = (flags: string, about: string, conflicts: readonly string[]) =>
    new Option(flags, about).conflicts([...conflicts]);
  return addIndexOption(addFilterOptions(command))
    .option("--by <what>", `one whole table: ${TABLES.join(", ")}`)
    .addOption(
      oneWay("--blocks", "five-hour windows, with the rate and the projection of the current one", ["by", "csv"]),
    )
    .addOption(
      oneWay("--explain <session>", "how the totals of a session come about, message by message", [
        ...CHOICES,
        "by",
        "blocks",
        "csv",
        "timezone",
      ]),
    )
    .addOption(
      oneWay("--statusline", "one line for the client's status line; reads what the client says on stdin", [
        ...CHOICES,
        "by",
        "blocks",
        "explain",
        "json",
        "csv",
      ]),
    )
    .option("--timezone <name>", "whose days: Europe/Berlin, UTC (else those of this machine)")
    .option("--reveal", "do not mask keys and tokens in titles")
    .addOption(oneWay("--json", "the tables as JSON; those by session and branch with --by", ["csv"]))
    .option("--csv", "one table as CSV: that of --by, else by day");
}

export function toTableName(by: string | undefined): TableName | undefined {
  const name = TABLES.find((table) => table === by);
  if (by === undefined || name) return name;
  throw new UserError("usage", `--by wants ${TABLES.join(", ")}, not "${by}"`, "for example --by month");
}

/** Days of the filter begin when they do in the zone. */
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
