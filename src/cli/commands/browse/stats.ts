import type { Command } from "commander";
import type { CommandContext } from "../../io.js";
import { addStatsOptions, type StatsCommandOptions } from "../../options/stats-options.js";

const EXAMPLES = `
Examples:
  turnlog stats --since 7d           what this week cost, by day, model and project
  turnlog stats --by project --csv   one table for a spreadsheet
  turnlog stats --explain last       where each number comes from`;

export function define(command: Command, { io }: CommandContext): void {
  addStatsOptions(command)
    .addHelpText("after", EXAMPLES)
    .action(async (options: StatsCommandOptions) =>
      (await import("../../report/stats/print-stats.js")).writeStats(options, io),
    );
}
