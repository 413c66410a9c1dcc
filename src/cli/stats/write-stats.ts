import type { Io } from "../../app/io.js";
import { loadOptions } from "../../app/load-options.js";
import { sessionRoots } from "../../app/roots.js";
import { isColoured } from "../../app/show-options.js";
import { type StatsCommandOptions, toStatsFilter, toTableName } from "../../app/stats-options.js";
import { messagesOf, readLibraryNumbers } from "../../library/indexed/library-numbers.js";
import { computeBlocks } from "../../library/stats/blocks.js";
import { computeStats, type Stats } from "../../library/stats/compute-stats.js";
import { openTimeZone } from "../../library/stats/time-zone.js";
import { createStyle } from "../../render/style.js";
import { withNumbers } from "../with-numbers.js";
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
  const load = await loadOptions(io);
  const { prices } = load;
  const roots = await sessionRoots(io, options);
  const numbers = await withNumbers(io, roots, options, (db) => readLibraryNumbers(db, roots, filter, load));
  const computed = computeStats(numbers, { zone, prices });
  const hasTitles = options.json || table === "session";
  const stats = hasTitles && !options.reveal ? await maskTitles(computed, numbers.doubtfulTitles) : computed;
  const blocks = options.blocks ? computeBlocks(messagesOf(numbers.sessions), now, prices) : undefined;
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

/** All else that statistics show is names and numbers. What finds secrets is loaded only where some may be. */
async function maskTitles(stats: Stats, doubtful: ReadonlySet<string>): Promise<Stats> {
  if (doubtful.size === 0) return stats;
  const redactor = (await import("../../app/redaction.js")).maskingRedactor();
  const bySession = stats.bySession.map((session) =>
    doubtful.has(session.path) ? { ...session, title: redactor.text(session.title, "title") } : session,
  );
  return { ...stats, bySession };
}
