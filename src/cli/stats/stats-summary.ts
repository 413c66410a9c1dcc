import type { TableName } from "../../app/stats-options.js";
import type { AskedStats } from "../../library/stats/compute-stats.js";
import type { TableLayout } from "../../render/fit-table.js";
import { formatCount, formatDuration, formatTokens, totalTokens } from "../../render/format-values.js";
import { neutralize } from "../../render/neutralize.js";
import { wrapLines } from "../../render/wrap-lines.js";
import { wrapParts } from "../wrap-parts.js";
import { costCell, formatPercent, statsTable } from "./stats-tables.js";

const SUMMARY_DAYS = 14;
const SUMMARY_ROWS = 8;

/** Totals first, then the tables that people ask for most. */
export function paintSummary(stats: AskedStats, layout: TableLayout, limit: number | undefined): string {
  const tables: readonly (readonly [TableName, string, number, number])[] = [
    ["day", "By day", stats.byDay.length, limit ?? SUMMARY_DAYS],
    ["model", "By model", stats.byModel.length, limit ?? SUMMARY_ROWS],
    ["project", "By project", stats.byProject.length, limit ?? SUMMARY_ROWS],
    ["tool", "Tools", stats.tools.length, limit ?? SUMMARY_ROWS],
  ];
  const painted = tables.map(([name, title, all, most]) => {
    if (all === 0) return "";
    const order = name === "day" ? "last " : "";
    const part = all > most ? layout.style.dim(` (${order}${most} of ${all}; --by ${name} shows all)`) : "";
    return `\n${layout.style.bold(title)}${part}\n${statsTable(stats, name, most).paint(layout)}`;
  });
  return paintTotals(stats, layout) + painted.join("");
}

export function paintTotals({ totals, from, to, timezone }: AskedStats, { columns, style }: TableLayout): string {
  const { usage } = totals;
  const cacheWrite = usage.cacheWrite5m + usage.cacheWrite1h;
  const failed =
    totals.toolErrors > 0
      ? `, ${totals.toolErrors} failed (${formatPercent(totals.toolErrors / totals.toolCalls)})`
      : "";
  const lines = [
    [from === null ? "no dated messages" : from === to ? from : `${from} to ${to}`, timezone],
    [
      style.bold(style.green(costCell(totals))),
      `${style.bold(formatTokens(totalTokens(usage)))} tokens`,
      formatCount(totals.sessions, "session"),
      formatCount(totals.turns, "turn"),
      formatCount(totals.messages, "message"),
      `${formatDuration(totals.activeMs)} active`,
    ],
    [
      `input ${formatTokens(usage.input)}`,
      `output ${formatTokens(usage.output)}`,
      `cache write ${formatTokens(cacheWrite)}`,
      `cache read ${formatTokens(usage.cacheRead)}`,
      `${formatCount(totals.toolCalls, "tool call")}${failed}`,
      usage.webSearches > 0 ? formatCount(usage.webSearches, "web search", "web searches") : "",
      usage.webFetches > 0 ? formatCount(usage.webFetches, "web fetch", "web fetches") : "",
    ],
  ];
  const notes = [
    totals.unknownOutputs > 0
      ? `output tokens of ${formatCount(totals.unknownOutputs, "message")} are not recorded`
      : "",
    totals.unpricedModels.length > 0 ? `no price is known for ${totals.unpricedModels.map(neutralize).join(", ")}` : "",
  ];
  const painted = lines.map((parts) =>
    wrapParts(
      parts.filter((part) => part !== ""),
      columns,
    ),
  );
  return `${[...painted, ...notes.filter((note) => note !== "").map((note) => style.dim(wrapLines(note, columns)))].join("\n")}\n`;
}
