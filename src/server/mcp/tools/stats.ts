import * as z from "zod";
import { TABLES, type TableName, toStatsFilter } from "../../../app/stats-options.js";
import { arrayAt, isObject, stringAt } from "../../../format/json.js";
import { type LibraryNumbers, readLibraryNumbers } from "../../../library/catalog/library-numbers.js";
import type { NumbersFilter } from "../../../library/catalog/numbers-scope.js";
import { computeStats, type Stats } from "../../../library/stats/compute-stats.js";
import { statsByCommit, statsByPullRequest } from "../../../library/stats/link-stats.js";
import type { Spent } from "../../../library/stats/tally.js";
import { openTimeZone } from "../../../library/stats/time-zone.js";
import type { ToolStats } from "../../../library/stats/tool-stats.js";
import { readNumbers } from "../../../library/sync/read-numbers.js";
import { formatCost, formatCount, formatTokens, totalTokens } from "../../../render/format-values.js";
import { describeCostParts } from "../../../render/labels.js";
import type { Database } from "../../../store/sqlite.js";
import { cleanText, firstWords, moreLine, type PageItem, parseCursor, takePage } from "../answer-pages.js";
import type { McpLibrary } from "../mcp-library.js";
import {
  cursorField,
  defineMcpTool,
  findSession,
  givenFields,
  limitField,
  projectField,
  sessionField,
  sinceField,
  untilField,
} from "../mcp-tool.js";

const DEFAULT_LIMIT = 30;
const NAME_CHARACTERS = 300;
const MAX_MODELS = 10;
const MAX_NAMES = 20;

export const usageStatsTool = defineMcpTool({
  name: "usage_stats",
  title: "Tokens and cost",
  description:
    "Usage of past sessions and their sub-agents: tokens by kind, cost in US dollars, turns, tool calls, active time; in total, " +
    "and by day, week, month, model, project, session, git branch, pull request, commit or tool. Every message counts once, also where sessions were " +
    "forked or resumed. A cost of null means that the price of a model is unknown.",
  fields: {
    by: z.enum(TABLES).optional().describe("What each row is for (default day)"),
    project: projectField,
    since: sinceField,
    until: untilField,
    model: z.string().optional().describe("Only messages of models whose name contains this"),
    session: sessionField.optional().describe("Only this session: id, unique id prefix, exact title, or `last`"),
    timezone: z
      .string()
      .optional()
      .describe("Time zone of the days, such as Europe/Berlin or UTC (default: that of this machine)"),
    limit: limitField(DEFAULT_LIMIT, 200),
    cursor: cursorField,
  },
  async answer({ by = "day", session, timezone, limit = DEFAULT_LIMIT, cursor, ...filters }, library) {
    const [offset = 0] = parseCursor(cursor, 1);
    const zone = openTimeZone(timezone);
    const path = session === undefined ? undefined : (await findSession(session, library)).path;
    const chosen = toStatsFilter(givenFields(filters), zone, Date.now());
    const filter = { ...chosen, ...(path === undefined ? {} : { session: path }) };
    const { numbers, links = [] } = await readAll(filter, by, library);
    const { prices } = await library.loadOptions();
    const stats = computeStats(numbers, { zone, prices });
    const rows = by === "pr" || by === "commit" ? links : rowsOf(stats, by);
    const page = takePage(toItems(rows, by, offset, library), limit);
    const { totals, from, to, timezone: zoneName } = stats;
    const heading = `${from ?? "?"} to ${to ?? "?"} (${zoneName}): ${describe(totals)}`;
    return {
      text: totals.messages === 0 ? "no usage" : `${heading}\n\n${page.text}${moreLine(page.nextCursor)}`,
      structured: {
        from,
        to,
        timezone: zoneName,
        totals: bounded(totals),
        by,
        rows: page.items,
        nextCursor: page.nextCursor,
      },
    };
  },
});

interface AskedNumbers {
  readonly numbers: LibraryNumbers;
  /** The rows by pull request or commit. */
  readonly links?: readonly Spent[];
}

/** From the index; without one, from the sessions themselves. */
async function readAll(
  filter: NumbersFilter,
  by: TableName,
  { roots, withIndex, loadOptions }: McpLibrary,
): Promise<AskedNumbers> {
  const options = await loadOptions();
  const read = (db: Database): AskedNumbers => {
    const numbers = readLibraryNumbers(db, roots, filter, options);
    const question = { roots, filter, userData: options, prices: options.prices };
    if (by === "pr") return { numbers, links: statsByPullRequest(db, numbers, question) };
    return by === "commit" ? { numbers, links: statsByCommit(db, numbers, question) } : { numbers };
  };
  return withIndex((index) => {
    if (index) return read(index.db);
    const db = readNumbers(roots, [], undefined, options.archive);
    try {
      return read(db);
    } finally {
      db.close();
    }
  });
}

type Row = Spent | ToolStats;

/** Periods latest first; the other tables are sorted by cost already. */
function rowsOf(stats: Stats, by: Exclude<TableName, "pr" | "commit">): readonly Row[] {
  switch (by) {
    case "day":
      return stats.byDay.toReversed();
    case "week":
      return stats.byWeek.toReversed();
    case "month":
      return stats.byMonth.toReversed();
    case "project":
      return stats.byProject;
    case "model":
      return stats.byModel;
    case "session":
      return stats.bySession.map(({ path: _path, ...row }) => row);
    case "branch":
      return stats.byBranch;
    case "tool":
      return stats.tools;
  }
}

function* toItems(
  rows: readonly Row[],
  by: TableName,
  offset: number,
  library: McpLibrary,
): Generator<PageItem<object>> {
  for (const [at, row] of rows.entries()) {
    if (at < offset) continue;
    const item = shortNames("usage" in row ? bounded(row) : row, library);
    yield { item, text: `${nameOf(item, by)}: ${describe(row)}`, cursor: String(at) };
  }
}

function bounded<Counted extends Spent>(row: Counted): Counted {
  return { ...row, unpricedModels: row.unpricedModels.slice(0, MAX_MODELS) };
}

/** Titles, projects and branches can be of any length, and lists of pull requests and commits too. */
function shortNames(row: object, library: McpLibrary): Record<string, unknown> {
  const short = (value: unknown): unknown => {
    if (typeof value === "string") return firstWords(cleanText(value, library.clean, "usage"), NAME_CHARACTERS);
    if (!Array.isArray(value)) return value;
    return value.slice(0, MAX_NAMES).map((item) => (isObject(item) ? shortNames(item, library) : short(item)));
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, short(value)]));
}

function nameOf(item: Readonly<Record<string, unknown>>, by: TableName): string {
  if (by === "session") return `${item["id"]} "${item["title"]}"`;
  if (by === "branch") return `${item["branch"] ?? "no branch"} in ${item["project"] ?? "no project"}`;
  if (by === "pr") return arrayAt(item, "pullRequests").join(", ") || "unknown";
  if (by === "commit") {
    const commits = arrayAt(item, "commits").map((one) => `${stringAt(one, "sha")} ${stringAt(one, "subject") ?? ""}`);
    return commits.map((name) => name.trim()).join(", ") || "unknown";
  }
  return String(item[by === "tool" ? "name" : by] ?? "unknown");
}

function describe(row: Row): string {
  if (!("usage" in row)) return `${formatCount(row.calls, "call")}, ${row.failed} failed, ${row.denied} denied`;
  const parts = describeCostParts(row).join("; ");
  const unpriced = row.costUsd === null ? ` (${formatCost(row.knownCostUsd)} known)` : "";
  return `${formatCount(row.messages, "message")}, ${formatTokens(totalTokens(row.usage))} tokens, ${formatCost(row.costUsd)}${unpriced}${parts === "" ? "" : ` (${parts})`}`;
}
