import type { Io } from "../../app/io.js";
import { loadOptions } from "../../app/load-options.js";
import type { StatsCommandOptions, TableName } from "../../app/stats-options.js";
import { messagesOf, readLibraryNumbers } from "../../library/indexed/library-numbers.js";
import type { SessionFilter } from "../../library/session-filter.js";
import { type Block, computeBlocks } from "../../library/stats/blocks.js";
import { type AskedStats, computeStats, type Stats } from "../../library/stats/compute-stats.js";
import { readShortStats, toShortStats } from "../../library/stats/short-stats.js";
import type { TimeZone } from "../../library/stats/time-zone.js";
import { withNumbers } from "../with-numbers.js";

interface StatsQuestion {
  readonly roots: readonly string[];
  readonly filter: SessionFilter;
  readonly table: TableName | undefined;
  readonly zone: TimeZone;
  readonly now: number;
}

interface FoundStats {
  readonly stats: AskedStats;
  readonly blocks?: readonly Block[];
}

/** What is asked of all sessions the index may know from the last time. */
export async function findStats(options: StatsCommandOptions, question: StatsQuestion, io: Io): Promise<FoundStats> {
  const { roots, filter, table, zone, now } = question;
  const load = await loadOptions(io);
  const { prices } = load;
  if (isOfAll(filter) && !options.blocks && !isLong(table)) {
    return { stats: await withNumbers(io, roots, options, (db) => readShortStats(db, roots, { zone, prices })) };
  }
  const numbers = await withNumbers(io, roots, options, (db) => readLibraryNumbers(db, roots, filter, load));
  const computed = computeStats(numbers, { zone, prices });
  const masked = table === "session" && !options.reveal ? await maskTitles(computed, numbers.doubtfulTitles) : computed;
  return {
    stats: withTable(masked, table),
    ...(options.blocks ? { blocks: computeBlocks(messagesOf(numbers.sessions), now, prices) } : {}),
  };
}

function isOfAll({ limit: _limit, ...choice }: SessionFilter): boolean {
  return Object.keys(choice).length === 0;
}

function isLong(table: TableName | undefined): boolean {
  return table === "session" || table === "branch";
}

function withTable(stats: Stats, table: TableName | undefined): AskedStats {
  const short = toShortStats(stats);
  if (table === "session") return { ...short, bySession: stats.bySession };
  return table === "branch" ? { ...short, byBranch: stats.byBranch } : short;
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
