import { type Command, Option } from "commander";
import type { FilterOptions } from "../../app/filter-options.js";
import type { RootOptions } from "../../app/session-roots.js";
import { TABLES } from "../../app/stats-options.js";
import { addFilterOptions, addIndexOption, type IndexOptions } from "./filter-options.js";

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

/** Filters that make no sense for a single session or the status line. */
const FILTERS = [
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
  const exclusive = (flags: string, about: string, conflicts: readonly string[]) =>
    new Option(flags, about).conflicts([...conflicts]);
  return addIndexOption(addFilterOptions(command))
    .option("--by <what>", `print one full table: ${TABLES.join(", ")}`)
    .addOption(
      exclusive("--blocks", "five-hour windows, with burn rate and projection of the current one", ["by", "csv"]),
    )
    .addOption(
      exclusive("--explain <session>", "show how the totals of a session are computed, message by message", [
        ...FILTERS,
        "by",
        "blocks",
        "csv",
        "timezone",
      ]),
    )
    .addOption(
      exclusive("--statusline", "print one line for Claude Code's status line; reads Claude Code's JSON on stdin", [
        ...FILTERS,
        "by",
        "blocks",
        "explain",
        "json",
        "csv",
      ]),
    )
    .option("--timezone <name>", "time zone for days: Europe/Berlin, UTC (default: this machine's)")
    .option("--reveal", "do not mask keys and tokens in titles")
    .addOption(exclusive("--json", "print all tables as JSON (session, branch, pr and commit only with --by)", ["csv"]))
    .option("--csv", "print one table as CSV (default: by day)");
}
