import type { Io } from "../../app/io.js";
import { sessionRoots } from "../../app/roots.js";
import { isColoured } from "../../app/show-options.js";
import { type StatsCommandOptions, toStatsFilter, toTableName } from "../../app/stats-options.js";
import { openTimeZone } from "../../library/stats/time-zone.js";
import { createStyle } from "../../render/style.js";
import { findStats } from "./find-stats.js";
import { paintBlocks } from "./stats-blocks.js";
import { paintSummary, paintTotals } from "./stats-summary.js";
import { limitTables, statsTable } from "./stats-tables.js";

export async function writeStats(options: StatsCommandOptions, io: Io): Promise<void> {
  if (options.statusline) return (await import("./status-line.js")).writeStatusLine(options, io);
  if (options.explain !== undefined) {
    return (await import("./stats-explained.js")).writeExplanation(options.explain, options, io);
  }
  await io.stdout(await describeStats(options, io));
}

async function describeStats(options: StatsCommandOptions, io: Io): Promise<string> {
  const table = toTableName(options.by);
  const zone = openTimeZone(options.timezone);
  const now = Date.now();
  const filter = toStatsFilter(options, zone, now);
  const roots = await sessionRoots(io, options);
  const { stats, blocks } = await findStats(options, { roots, filter, table, zone, now }, io);
  const layout = { columns: io.columns, style: createStyle(isColoured(io)) };
  if (options.csv) return statsTable(stats, table ?? "day", filter.limit).csv();
  if (options.json)
    return `${JSON.stringify({ ...limitTables(stats, filter.limit), ...(blocks ? { blocks } : {}) }, null, 2)}\n`;
  if (stats.totals.messages + stats.totals.turns === 0) {
    const isFiltered = Object.keys(filter).length > 0;
    io.stderr(
      isFiltered ? "nothing matches the filter\n" : `no sessions in ${roots.join(", ")} (--demo shows demo sessions)\n`,
    );
    return "";
  }
  if (blocks) return paintBlocks(blocks.slice(-(filter.limit ?? blocks.length)), zone, now, layout);
  if (!table) return paintSummary(stats, layout, filter.limit);
  return `${paintTotals(stats, layout)}\n${statsTable(stats, table, filter.limit).paint(layout)}`;
}
