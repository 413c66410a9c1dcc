import type { TableName } from "../../../app/stats-options.js";
import type { Block, UsedBlock } from "../../../library/stats/blocks.js";
import type { AskedStats } from "../../../library/stats/compute-stats.js";
import type { TimeZone } from "../../../library/stats/time-zone.js";
import { formatCount, formatDuration, formatTokens, totalTokens } from "../../../render/format-values.js";
import { describeCostParts, describeFailures, describeMissingCounts } from "../../../render/labels.js";
import { neutralize } from "../../../render/safe-text.js";
import { paintListTable, type TableLayout } from "../../../render/terminal/lists/list-table.js";
import { wrapLines } from "../../../render/terminal/wrap-lines.js";
import { textWidth } from "../../../text-width.js";
import { costCell, formatPercent, statsTable } from "./stats-tables.js";

const SUMMARY_DAYS = 14;
const SUMMARY_ROWS = 8;

/** Totals, then the most used tables. */
export function paintSummary(
  stats: AskedStats,
  layout: TableLayout,
  { limit, isComplete }: { readonly limit: number | undefined; readonly isComplete: boolean },
): string {
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
    return `\n${layout.style.bold(title)}${part}\n${statsTable(stats, name, { limit: most, isComplete }).paint(layout)}`;
  });
  return paintTotals(stats, layout, isComplete) + painted.join("");
}

export function paintTotals(
  { totals, from, to, timezone }: AskedStats,
  { columns, style }: TableLayout,
  isComplete: boolean,
): string {
  const ifComplete = (text: string) => (isComplete ? text : "");
  const { usage } = totals;
  const cacheWrite = usage.cacheWrite5m + usage.cacheWrite1h;
  const { failedToolCalls: failed, toolCalls } = totals;
  const rate = failed > 0 ? ` (${formatPercent(failed / toolCalls)})` : "";
  const failures = describeFailures(totals).map((words) => (words.endsWith("failed") ? words + rate : words));
  const lines = [
    [from === null ? "no dated messages" : from === to ? from : `${from} to ${to}`, timezone],
    [
      style.bold(style.green(costCell(totals))),
      ...describeCostParts(totals),
      `${style.bold(formatTokens(totalTokens(usage)))} tokens`,
      ifComplete(formatCount(totals.sessions, "session")),
      ifComplete(formatCount(totals.turns, "turn")),
      formatCount(totals.messages, "message"),
      ifComplete(`${formatDuration(totals.activeMs)} active`),
    ],
    [
      `input ${formatTokens(usage.input)}`,
      `output ${formatTokens(usage.output)}`,
      `cache write ${formatTokens(cacheWrite)}`,
      `cache read ${formatTokens(usage.cacheRead)}`,
      ...[formatCount(toolCalls, "tool call"), ...failures].map(ifComplete),
      ifComplete(totals.apiErrors > 0 ? formatCount(totals.apiErrors, "API error") : ""),
      usage.webSearches > 0 ? formatCount(usage.webSearches, "web search", "web searches") : "",
      usage.webFetches > 0 ? formatCount(usage.webFetches, "web fetch", "web fetches") : "",
    ],
  ];
  const notes = [
    describeMissingCounts(totals.unknownOutputs),
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

/** The latest block last. */
export function paintBlocks(blocks: readonly Block[], zone: TimeZone, now: number, layout: TableLayout): string {
  const { style } = layout;
  const table = paintListTable<Block>(
    blocks,
    [
      { title: "block", cell: (block) => describeSpan(block, zone), isText: true },
      { title: "cost", cell: (block) => (block.kind === "gap" ? "" : costCell(block)), paint: style.green },
      { title: "tokens", cell: onlyUsed(({ usage }) => formatTokens(totalTokens(usage))) },
      { title: "output", cell: onlyUsed(({ usage }) => formatTokens(usage.output)), dropOrder: 3 },
      { title: "messages", cell: onlyUsed(({ messages }) => String(messages)), dropOrder: 2 },
      {
        title: "tokens/min",
        cell: onlyUsed(({ burnRate }) => (burnRate ? formatTokens(Math.round(burnRate.tokensPerMinute)) : "")),
        dropOrder: 1,
      },
      { title: "models", cell: onlyUsed(({ models }) => models.join(", ")), isText: true, dropOrder: 4 },
    ],
    layout,
  );
  const active = blocks.find((block): block is UsedBlock => block.kind === "used" && block.isActive);
  return table + (active ? paintActive(active, now, layout) : "");
}

function onlyUsed(cell: (block: UsedBlock) => string): (block: Block) => string {
  return (block) => (block.kind === "gap" ? "" : cell(block));
}

function describeSpan(block: Block, zone: TimeZone): string {
  const [start, end] = [Date.parse(block.startAt), Date.parse(block.endAt)];
  if (block.kind === "gap") return `  pause of ${formatPause(end - start)}`;
  return `${zone.dayOf(start)} ${zone.clockOf(start)} to ${zone.clockOf(end)}${block.isActive ? " (now)" : ""}`;
}

function formatPause(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  return hours < 48 ? formatCount(hours, "hour") : `${Math.floor(hours / 24)} days`;
}

function paintActive({ burnRate, projection, endAt }: UsedBlock, now: number, { columns, style }: TableLayout): string {
  const parts = [
    `${formatDuration(Date.parse(endAt) - now)} left`,
    ...(burnRate
      ? [
          `${formatTokens(Math.round(burnRate.tokensPerMinute))} tokens/min`,
          burnRate.costPerHour === null ? "" : `$${burnRate.costPerHour.toFixed(2)}/h`,
        ]
      : []),
    ...(projection
      ? [
          `${formatTokens(projection.tokens)} tokens at its end`,
          projection.costUsd === null ? "" : `$${projection.costUsd.toFixed(2)} at its end`,
        ]
      : []),
  ];
  return `\n${style.bold("Current block")}\n${wrapParts(
    parts.filter((part) => part !== ""),
    columns,
  )}\n`;
}

const SEPARATOR = " · ";

/** Parts on as few lines as the terminal needs; no part is broken. */
function wrapParts(parts: readonly string[], columns: number): string {
  const lines: string[] = [];
  for (const part of parts) {
    const joined = lines.length === 0 ? part : `${lines.at(-1)}${SEPARATOR}${part}`;
    if (lines.length > 0 && textWidth(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines.join("\n");
}
