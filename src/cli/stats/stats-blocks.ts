import type { Block, UsedBlock } from "../../library/stats/blocks.js";
import type { TimeZone } from "../../library/stats/time-zone.js";
import { paintFitting, type TableLayout } from "../../render/fit-table.js";
import { formatCount, formatDuration, formatTokens, totalTokens } from "../../render/format-values.js";
import { wrapParts } from "../wrap-parts.js";
import { costCell } from "./stats-tables.js";

/** The latest block last, as in a log. */
export function paintBlocks(blocks: readonly Block[], zone: TimeZone, now: number, layout: TableLayout): string {
  const { style } = layout;
  const table = paintFitting<Block>(
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
