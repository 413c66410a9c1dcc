import type { BudgetRow } from "../../../app/budget/view-budgets.js";
import { loadOptions } from "../../../app/load-options.js";
import { maskNames } from "../../../app/mask-names.js";
import { sessionRoots } from "../../../app/session-roots.js";
import { readSettings } from "../../../app/settings.js";
import { warnAboutSkipped } from "../../../app/skipped-files.js";
import { type TableName, toStatsFilter, toTableName } from "../../../app/stats-options.js";
import type { FileProblem } from "../../../format/layout/folder-listing.js";
import { type LibraryNumbers, messagesOf, readLibraryNumbers } from "../../../library/catalog/library-numbers.js";
import type { LoadOptions } from "../../../library/load/load-session.js";
import type { SessionFilter } from "../../../library/load/session-summary.js";
import { type Block, computeBlocks } from "../../../library/stats/blocks.js";
import {
  type AskedStats,
  computeStats,
  readShortStats,
  type Stats,
  toShortStats,
} from "../../../library/stats/compute-stats.js";
import { type LinkStats, statsByCommit, statsByPullRequest } from "../../../library/stats/link-stats.js";
import { openTimeZone, type TimeZone } from "../../../library/stats/time-zone.js";
import { hasMoreThan } from "../../../library/sync/first-use.js";
import type { TableLayout } from "../../../render/terminal/lists/list-table.js";
import { createStyle } from "../../../render/terminal/style.js";
import type { PriceTable } from "../../../session/messages/cost.js";
import type { Database } from "../../../store/sqlite.js";
import type { Io } from "../../io.js";
import { withNumbers } from "../../library-index.js";
import type { StatsCommandOptions } from "../../options/stats-options.js";
import { isColoured } from "../../terminal/is-coloured.js";
import { printedJson } from "../../terminal/printed-json.js";
import { paintBlocks, paintSummary, paintTotals } from "./stats-summary.js";
import { limitTables, statsTable, toSpentJson } from "./stats-tables.js";

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
  const { stats, blocks, isComplete } = await findStats(options, { roots, filter, table, zone, now }, io);
  const layout = { columns: io.columns, style: createStyle(isColoured(io)) };
  const choice = { limit: filter.limit, isComplete };
  if (options.csv) return statsTable(stats, table ?? "day", choice).csv();
  const budgets =
    isOfAll(filter) && !options.blocks ? await findBudgets({ roots, timezone: options.timezone }, io) : [];
  if (options.json) {
    const asked = { complete: isComplete, ...limitTables(stats, filter.limit), ...(blocks ? { blocks } : {}) };
    const known = isComplete ? asked : toSpentJson(asked);
    return printedJson(budgets.length === 0 ? known : { ...known, budgets }, io);
  }
  if (stats.totals.messages + stats.totals.turns === 0) {
    const isFiltered = Object.keys(filter).length > 0;
    io.stderr(isFiltered ? "no session matches the filters\n" : `no sessions in ${roots.join(", ")} (try --demo)\n`);
    return "";
  }
  if (blocks) return paintBlocks(blocks.slice(-(filter.limit ?? blocks.length)), zone, now, layout);
  if (!table) return `${paintSummary(stats, layout, choice)}${await paintOwnBudgets(budgets, layout)}`;
  return `${paintTotals(stats, layout, isComplete)}\n${statsTable(stats, table, choice).paint(layout)}`;
}

/** Most people have none, and then nothing is loaded for them. */
async function findBudgets(
  question: { readonly roots: readonly string[]; readonly timezone: string | undefined },
  io: Io,
): Promise<BudgetRow[]> {
  if ((await readSettings(io)).budgets === undefined) return [];
  const { viewBudgets } = await import("../../../app/budget/view-budgets.js");
  return viewBudgets(question, io);
}

async function paintOwnBudgets(budgets: readonly BudgetRow[], layout: TableLayout): Promise<string> {
  if (budgets.length === 0) return "";
  const { paintBudgets } = await import("../print-budgets.js");
  return `\n${layout.style.bold("Budgets")}\n${paintBudgets(budgets, layout)}`;
}

interface StatsQuestion {
  readonly roots: readonly string[];
  readonly filter: SessionFilter;
  readonly table: TableName | undefined;
  readonly zone: TimeZone;
  readonly now: number;
}

interface FoundStats {
  readonly stats: AskedStats;
  /** False: the sessions were scanned for what they spent, and not read. */
  readonly isComplete: boolean;
  readonly blocks?: readonly Block[];
}

interface FoundNumbers extends Pick<FoundStats, "isComplete"> {
  readonly numbers: LibraryNumbers;
  readonly links?: Partial<LinkStats>;
}

/** Answers about all sessions may be cached in the index. */
export async function findStats(options: StatsCommandOptions, question: StatsQuestion, io: Io): Promise<FoundStats> {
  const { roots, filter, table, zone } = question;
  const load = await loadOptions(io);
  const { prices } = load;
  const isShort = isOfAll(filter) && !options.blocks && !isLong(table);
  const found = await withNumbers<FoundStats | FoundNumbers>(
    io,
    roots,
    options,
    (db) =>
      isShort
        ? { stats: readShortStats(db, roots, { zone, prices }), isComplete: true }
        : { ...readAsked(db, question, load), isComplete: true },
    isSpentEnough(question)
      ? async () => ({ numbers: await scanSpent(roots, filter, load, io), isComplete: false })
      : undefined,
  );
  const { titlesToMask: doubtful, ...answer } =
    "stats" in found ? { ...found, titlesToMask: undefined } : answerFrom(found, options, question, prices);
  return options.reveal ? answer : maskStats(answer, doubtful, io);
}

function readAsked(
  db: Database,
  { roots, filter, table }: StatsQuestion,
  load: LoadOptions,
): Pick<FoundNumbers, "numbers" | "links"> {
  const numbers = readLibraryNumbers(db, roots, filter, load);
  const question = { roots, filter, userData: load, prices: load.prices };
  if (table === "pr") return { numbers, links: { byPullRequest: statsByPullRequest(db, numbers, question) } };
  return table === "commit" ? { numbers, links: { byCommit: statsByCommit(db, numbers, question) } } : { numbers };
}

function answerFrom(
  { numbers, links, isComplete }: FoundNumbers,
  options: StatsCommandOptions,
  { table, zone, now }: StatsQuestion,
  prices: PriceTable | undefined,
): FoundStats & Pick<LibraryNumbers, "titlesToMask"> {
  return {
    stats: { ...withTable(computeStats(numbers, { zone, prices }), table), ...links },
    isComplete,
    titlesToMask: numbers.titlesToMask,
    ...(options.blocks ? { blocks: computeBlocks(messagesOf(numbers.sessions), now, prices) } : {}),
  };
}

/** Whether the question is about tokens and cost only: the rest takes reading all sessions. */
function isSpentEnough({ filter, table }: StatsQuestion): boolean {
  return !READ_FOR.has(table) && filter.tool === undefined && !filter.errors;
}

const READ_FOR: ReadonlySet<TableName | undefined> = new Set(["tool", "pr", "commit"]);

async function scanSpent(
  roots: readonly string[],
  filter: SessionFilter,
  load: LoadOptions,
  io: Io,
): Promise<LibraryNumbers> {
  const [{ scanNumbers }, { startScanThread }] = await Promise.all([
    import("../../../library/stats/scan-numbers.js"),
    import("../../scan-thread.js"),
  ]);
  const problems: FileProblem[] = [];
  const isLarge = hasMoreThan(BYTES_FOR_THREADS, roots);
  const options = { archive: load.archive, problems, ...(isLarge ? { startThread: startScanThread } : {}) };
  const numbers = await scanNumbers(roots, filter, load, options);
  warnAboutSkipped(problems, io);
  io.stderr(`${NOT_COUNTED_YET}\n`);
  return numbers;
}

/** Below this, a thread takes longer to start than it saves. */
const BYTES_FOR_THREADS = 40_000_000;

const NOT_COUNTED_YET =
  "tokens and cost only: sessions, turns, tools and titles follow when all sessions have been read (--wait waits for that)";

function isOfAll({ limit: _limit, ...choice }: SessionFilter): boolean {
  return Object.keys(choice).length === 0;
}

function isLong(table: TableName | undefined): boolean {
  return table !== undefined && LONG.has(table);
}

const LONG: ReadonlySet<TableName> = new Set(["session", "branch", "pr", "commit"]);

function withTable(stats: Stats, table: TableName | undefined): AskedStats {
  const short = toShortStats(stats);
  if (table === "session") return { ...short, bySession: stats.bySession };
  return table === "branch" ? { ...short, byBranch: stats.byBranch } : short;
}

/** The names in tables. Of sessions only those in which the index found something: there may be very many. */
async function maskStats(found: FoundStats, doubtful: ReadonlySet<string> | undefined, io: Io): Promise<FoundStats> {
  const redactor = await (await import("../../../app/redaction.js")).maskingRedactor(io);
  const areAllDoubtful = (await readSettings(io)).redact?.patternsFile !== undefined;
  const mask = <Row extends object>(row: Row) => maskNames(row, redactor);
  const { stats } = found;
  const bySession = stats.bySession?.map((row) => (areAllDoubtful || doubtful?.has(row.path) ? mask(row) : row));
  const masked = {
    ...stats,
    byProject: stats.byProject.map(mask),
    tools: stats.tools.map(mask),
    ...(bySession ? { bySession } : {}),
    ...(stats.byBranch ? { byBranch: stats.byBranch.map(mask) } : {}),
    ...(stats.byPullRequest ? { byPullRequest: stats.byPullRequest.map(mask) } : {}),
    ...(stats.byCommit ? { byCommit: stats.byCommit.map(mask) } : {}),
  };
  return { ...found, stats: masked };
}
