import type { Command } from "commander";
import type { CommandContext } from "../../io.js";
import { addStatsOptions, type StatsCommandOptions } from "../../options/stats-options.js";

export function define(command: Command, { io }: CommandContext): void {
  addStatsOptions(command).action(async (options: StatsCommandOptions) =>
    (await import("../../report/stats/print-stats.js")).writeStats(options, io),
  );
}
