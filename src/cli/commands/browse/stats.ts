import type { Command } from "commander";
import { addStatsOptions, type StatsCommandOptions } from "../../../app/stats-options.js";
import type { CommandContext } from "../../command-context.js";

export function define(command: Command, { io }: CommandContext): void {
  addStatsOptions(command).action(async (options: StatsCommandOptions) =>
    (await import("../../report/stats/print-stats.js")).writeStats(options, io),
  );
}
