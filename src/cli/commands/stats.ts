import type { Command } from "commander";
import type { CommandContext } from "../command-context.js";
import { addStatsOptions, type StatsCommandOptions } from "../stats-options.js";

export function define(command: Command, { io }: CommandContext): void {
  addStatsOptions(command).action(async (options: StatsCommandOptions) =>
    (await import("../write-stats.js")).writeStats(options, io),
  );
}
