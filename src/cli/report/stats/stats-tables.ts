import type { TableName } from "../../../app/stats-options.js";
import type { AskedStats, BranchFigures, Stats } from "../../../library/stats/compute-stats.js";
import type { LinkStats } from "../../../library/stats/link-stats.js";
import type { Figures, Spent } from "../../../library/stats/tally.js";
import type { ToolStats } from "../../../library/stats/tool-stats.js";
import { formatCost, formatDuration, formatTokens, lastFolder, totalTokens } from "../../../render/format-values.js";
import { paintListTable, type TableColumn, type TableLayout } from "../../../render/terminal/lists/list-table.js";
import type { Style } from "../../../render/terminal/style.js";

/** An unknown cost is not zero: the known part is shown as a lower bound. */
export function costCell({ costUsd, knownCostUsd }: Pick<Spent, "costUsd" | "knownCostUsd">): string {
  if (costUsd === null && knownCostUsd === 0) return "?";
  const figure = knownCostUsd > 0 && knownCostUsd < 0.01 ? knownCostUsd.toFixed(4) : knownCostUsd.toFixed(2);
  return `${costUsd === null ? "≥" : ""}$${figure}`;
}

function subagentCell({ subagentCostUsd }: Pick<Spent, "subagentCostUsd">): string {
  return subagentCostUsd === 0 ? "" : subagentCostUsd === null ? "?" : formatCost(subagentCostUsd);
}

function spentColumns(style: Style): TableColumn<Spent>[] {
  return [
    { title: "cost", cell: costCell, paint: style.green },
    { title: "in sub-agents", cell: subagentCell, dropOrder: 5 },
    { title: "tokens", cell: ({ usage }) => formatTokens(totalTokens(usage)), dropOrder: 1 },
    { title: "input", cell: ({ usage }) => formatTokens(usage.input), dropOrder: 8 },
    { title: "output", cell: ({ usage }) => formatTokens(usage.output), dropOrder: 3 },
    {
      title: "cache write",
      cell: ({ usage }) => formatTokens(usage.cacheWrite5m + usage.cacheWrite1h),
      dropOrder: 6,
    },
    { title: "cache read", cell: ({ usage }) => formatTokens(usage.cacheRead), dropOrder: 7 },
  ];
}

const TURNS: TableColumn<BranchFigures> = { title: "turns", cell: ({ turns }) => String(turns), dropOrder: 2 };
const SESSIONS: TableColumn<BranchFigures> = {
  title: "sessions",
  cell: ({ sessions }) => String(sessions),
  dropOrder: 9,
};
const CALLS: TableColumn<Figures> = { title: "calls", cell: ({ toolCalls }) => String(toolCalls), dropOrder: 5 };
const ACTIVE: TableColumn<BranchFigures> = {
  title: "active",
  cell: ({ activeMs }) => formatDuration(activeMs),
  dropOrder: 4,
};

const BAR_COLUMNS = 10;

/** A bar relative to the highest row. */
function barColumn<Row extends Spent>(rows: readonly Row[], style: Style): TableColumn<Row> {
  const highest = Math.max(...rows.map(({ knownCostUsd }) => knownCostUsd));
  const eighths = ({ knownCostUsd }: Spent) =>
    highest > 0 ? Math.round((knownCostUsd / highest) * BAR_COLUMNS * 8) : 0;
  return {
    title: "",
    cell: (row) => "█".repeat(eighths(row) >> 3) + (" ▏▎▍▌▋▊▉"[eighths(row) & 7] ?? "").trim(),
    isText: true,
    dropOrder: 10,
    paint: style.cyan,
  };
}

/** One table of the statistics, as text and as CSV. */
export interface StatsTable {
  readonly rows: number;
  paint(layout: TableLayout): string;
  csv(): string;
}

type CsvRow = Readonly<Record<string, string | number | null>>;

interface TableMaker<Row> {
  readonly rows: readonly Row[];
  columns(style: Style): readonly TableColumn<Row>[];
  toCsvRow(row: Row): CsvRow;
}

export function limitTables(stats: AskedStats, limit = Number.POSITIVE_INFINITY): AskedStats {
  return {
    ...stats,
    byDay: lastOf(stats.byDay, limit),
    byModel: stats.byModel.slice(0, limit),
    byProject: stats.byProject.slice(0, limit),
    tools: stats.tools.slice(0, limit),
    byWeek: lastOf(stats.byWeek, limit),
    byMonth: lastOf(stats.byMonth, limit),
    ...(stats.bySession ? { bySession: stats.bySession.slice(0, limit) } : {}),
    ...(stats.byBranch ? { byBranch: stats.byBranch.slice(0, limit) } : {}),
    ...(stats.byPullRequest ? { byPullRequest: stats.byPullRequest.slice(0, limit) } : {}),
    ...(stats.byCommit ? { byCommit: stats.byCommit.slice(0, limit) } : {}),
  };
}

function lastOf<Row>(rows: readonly Row[], limit: number): readonly Row[] {
  return rows.slice(Math.max(0, rows.length - limit));
}

interface TableChoice {
  /** The latest days, weeks and months, and the first rows of other tables. */
  readonly limit?: number | undefined;
  /** False: only what was spent is known. */
  readonly isComplete: boolean;
}

export function statsTable(
  stats: AskedStats,
  name: TableName,
  { limit = Number.POSITIVE_INFINITY, isComplete }: TableChoice,
): StatsTable {
  const makeTable = isComplete ? toTable : toSpentTable;
  switch (name) {
    case "day":
      return makeTable(
        figureTable(lastOf(stats.byDay, limit), [nameColumn("day", ({ day }) => day)], ({ day }) => ({ day })),
      );
    case "week":
      return makeTable(
        figureTable(lastOf(stats.byWeek, limit), [nameColumn("week", ({ week }) => week)], ({ week }) => ({ week })),
      );
    case "month":
      return makeTable(
        figureTable(lastOf(stats.byMonth, limit), [nameColumn("month", ({ month }) => month)], ({ month }) => ({
          month,
        })),
      );
    case "project":
      return makeTable(projectTable(stats.byProject.slice(0, limit)));
    case "session":
      return makeTable(sessionTable(stats.bySession?.slice(0, limit) ?? []));
    case "branch":
      return makeTable(branchTable(stats.byBranch?.slice(0, limit) ?? []));
    case "pr":
      return makeTable(pullRequestTable(stats.byPullRequest?.slice(0, limit) ?? []));
    case "commit":
      return makeTable(commitTable(stats.byCommit?.slice(0, limit) ?? []));
    case "model":
      return makeTable(modelTable(stats.byModel.slice(0, limit)));
    case "tool":
      return makeTable(toolTable(stats.tools.slice(0, limit)));
  }
}

function nameColumn<Row>(title: string, cell: (row: Row) => string): TableColumn<Row> {
  return { title, cell, isText: true };
}

const UNKNOWN = "(unknown)";

function toTable<Row>({ rows, columns, toCsvRow }: TableMaker<Row>): StatsTable {
  return {
    rows: rows.length,
    paint: (layout) => paintListTable(rows, columns(layout.style), layout),
    csv: () => toCsv(rows.map(toCsvRow)),
  };
}

/** Without the columns that are not known yet; in CSV their cells are empty. */
function toSpentTable<Row>({ rows, columns, toCsvRow }: TableMaker<Row>): StatsTable {
  const known = (row: Row): CsvRow => {
    const cells = toCsvRow(row);
    const isId = cells["title"] === cells["id"];
    const unknown = [...UNKNOWN_CELLS, ...(isId ? ["title"] : [])].filter((name) => name in cells);
    return { ...cells, ...Object.fromEntries(unknown.map((name) => [name, null])) };
  };
  return toTable({
    rows,
    columns: (style) => columns(style).filter(({ title }) => !UNKNOWN_COLUMNS.has(title)),
    toCsvRow: known,
  });
}

const UNKNOWN_COLUMNS: ReadonlySet<string> = new Set([TURNS, SESSIONS, CALLS, ACTIVE].map(({ title }) => title));
const UNKNOWN_CELLS = [
  ...["sessions", "turns", "active_ms", "rewound_cost_usd", "api_errors"],
  ...["tool_calls", "tool_errors", "failed_calls", "denied_calls", "interrupted_calls"],
];

/** Statistics as JSON, with null for what is not known yet. */
export function toSpentJson<T extends object>(stats: T): object {
  const tables = Object.entries(stats).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(unknownToNull) : name === "totals" ? unknownToNull(value) : value,
  ]);
  return { ...Object.fromEntries(tables), tools: null };
}

const UNKNOWN_FIELDS: readonly string[] = [
  ...["sessions", "turns", "activeMs", "rewoundCostUsd", "apiErrors"],
  ...["toolCalls", "toolErrors", "failedToolCalls", "deniedToolCalls", "interruptedToolCalls"],
];

function unknownToNull(row: Readonly<Record<string, unknown>>): object {
  const isUntitled = "id" in row && row["title"] === row["id"];
  const unknown = [...UNKNOWN_FIELDS, ...(isUntitled ? ["title"] : [])].filter((name) => name in row);
  return { ...row, ...Object.fromEntries(unknown.map((name) => [name, null])) };
}

function figureTable<Row extends Figures>(
  rows: readonly Row[],
  names: readonly TableColumn<Row>[],
  toNames: (row: Row) => CsvRow,
  counts: readonly TableColumn<Figures>[] = [TURNS, SESSIONS, CALLS, ACTIVE],
): TableMaker<Row> {
  return {
    rows,
    columns: (style) => [...names, ...spentColumns(style), ...counts, barColumn(rows, style)],
    toCsvRow: (row) => ({
      ...toNames(row),
      ...spentCsv(row),
      ...countsCsv(row),
      tool_calls: row.toolCalls,
      tool_errors: row.toolErrors,
      failed_calls: row.failedToolCalls,
      denied_calls: row.deniedToolCalls,
      interrupted_calls: row.interruptedToolCalls,
      api_errors: row.apiErrors,
    }),
  };
}

function projectTable(rows: Stats["byProject"]): TableMaker<Stats["byProject"][number]> {
  const name = nameColumn<Stats["byProject"][number]>("project", ({ project }) => project ?? UNKNOWN);
  return figureTable(rows, [{ ...name, keep: "end" }], ({ project }) => ({ project }));
}

function sessionTable(rows: Stats["bySession"]): TableMaker<Stats["bySession"][number]> {
  return figureTable(
    rows,
    [
      nameColumn(
        "session",
        ({ id, title, project }) => `${id.slice(0, 8)} ${title === id ? lastFolder(project) : title}`,
      ),
      { ...nameColumn("last day", ({ lastDay }) => lastDay ?? ""), dropOrder: 3 },
    ],
    ({ id, path, project, title, lastDay }) => ({ id, path, project, title, last_day: lastDay }),
    [TURNS, CALLS, ACTIVE],
  );
}

function branchTable(rows: Stats["byBranch"]): TableMaker<Stats["byBranch"][number]> {
  return {
    rows,
    columns: (style) => [
      nameColumn("branch", ({ branch }) => branch ?? "(none)"),
      { ...nameColumn("project", ({ project }) => lastFolder(project) || UNKNOWN), dropOrder: 4 },
      ...spentColumns(style),
      TURNS,
      SESSIONS,
      ACTIVE,
      barColumn(rows, style),
    ],
    toCsvRow: (row) => ({ branch: row.branch, project: row.project, ...spentCsv(row), ...countsCsv(row) }),
  };
}

function pullRequestTable(rows: LinkStats["byPullRequest"]): TableMaker<LinkStats["byPullRequest"][number]> {
  const name = (of: (typeof rows)[number]) => of.pullRequests.join(" ");
  return figureTable(rows, [nameColumn("pull request", (row) => name(row) || UNKNOWN)], (row) => ({
    pull_requests: name(row),
  }));
}

function commitTable(rows: LinkStats["byCommit"]): TableMaker<LinkStats["byCommit"][number]> {
  const shas = ({ commits }: (typeof rows)[number]) => commits.map(({ sha }) => sha).join(" ");
  const subjects = ({ commits }: (typeof rows)[number]) => commits.map(({ subject }) => subject ?? "").join("; ");
  return figureTable(
    rows,
    [
      nameColumn("commit", (row) => `${shas(row)} ${subjects(row)}`.trim() || UNKNOWN),
      { ...nameColumn("project", ({ project }) => lastFolder(project)), dropOrder: 6 },
    ],
    (row) => ({ commits: shas(row), subjects: subjects(row), project: row.project }),
  );
}

function modelTable(rows: Stats["byModel"]): TableMaker<Stats["byModel"][number]> {
  return {
    rows,
    columns: (style) => [
      { title: "model", cell: ({ model }) => model ?? UNKNOWN, isText: true },
      ...spentColumns(style),
      { title: "messages", cell: ({ messages }) => String(messages), dropOrder: 2 },
      barColumn(rows, style),
    ],
    toCsvRow: ({ model, ...spent }) => ({ model, ...spentCsv(spent) }),
  };
}

function toolTable(rows: readonly ToolStats[]): TableMaker<ToolStats> {
  const count = (calls: number) => (calls === 0 ? "" : String(calls));
  const duration = (ms: number | null) => (ms === null ? "" : formatDuration(ms));
  return {
    rows,
    columns: (style) => [
      { title: "tool", cell: ({ name }) => name, isText: true },
      { title: "calls", cell: ({ calls }) => String(calls) },
      { title: "failed", cell: ({ failed }) => count(failed), dropOrder: 4, paint: style.red },
      { title: "rate", cell: ({ failed, calls }) => (failed === 0 ? "" : formatPercent(failed / calls)), dropOrder: 1 },
      { title: "denied", cell: ({ denied }) => count(denied), dropOrder: 6 },
      { title: "mean", cell: ({ meanMs }) => duration(meanMs), dropOrder: 5 },
      { title: "median", cell: ({ p50Ms }) => duration(p50Ms), dropOrder: 2 },
      { title: "p95", cell: ({ p95Ms }) => duration(p95Ms), dropOrder: 3 },
    ],
    toCsvRow: ({ name, calls, errors, errorRate, failed, denied, interrupted, timed, meanMs, p50Ms, p95Ms }) => ({
      tool: name,
      calls,
      errors,
      error_rate: errorRate,
      timed,
      mean_ms: meanMs,
      p50_ms: p50Ms,
      p95_ms: p95Ms,
      failed,
      denied,
      interrupted,
    }),
  };
}

export function formatPercent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function spentCsv(spent: Spent): CsvRow {
  const { messages, unknownOutputs, usage, costUsd, knownCostUsd, unpricedModels } = spent;
  return {
    cost_usd: costUsd,
    known_cost_usd: knownCostUsd,
    messages,
    input: usage.input,
    output: usage.output,
    cache_read: usage.cacheRead,
    cache_write_5m: usage.cacheWrite5m,
    cache_write_1h: usage.cacheWrite1h,
    web_searches: usage.webSearches,
    web_fetches: usage.webFetches,
    unknown_outputs: unknownOutputs,
    unpriced_models: unpricedModels.join(" "),
    subagent_cost_usd: spent.subagentCostUsd,
    rewound_cost_usd: spent.rewoundCostUsd,
  };
}

function countsCsv({ sessions, turns, activeMs }: BranchFigures): CsvRow {
  return { sessions, turns, active_ms: activeMs };
}

/** RFC 4180: quoted where a comma, a quote or a line break needs it, lines end in CR LF. */
function toCsv(rows: readonly Readonly<Record<string, string | number | null>>[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => columns.map((column) => quote(row[column] ?? null)));
  return [columns.map(quote), ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** A text that a spreadsheet would run as a formula is marked as text. */
function quote(cell: string | number | null): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
