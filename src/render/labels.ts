import type { Totals } from "../session/outline.js";
import type { Turn } from "../session/turns/build-turn.js";
import { formatBytes, formatCost, formatCount, formatTokens, totalTokens } from "./format-values.js";
import type { ShownSubagent } from "./show-session.js";

/** Turns, messages, tool calls, tokens and cost of a session on one line. */
export function describeTotals(totals: Totals): string {
  const figures = [
    formatCount(totals.turns, "turn"),
    formatCount(totals.messages, "message"),
    describeToolCalls(totals),
    totals.apiErrors > 0 ? formatCount(totals.apiErrors, "API error") : "",
    `${formatTokens(totalTokens(totals.usage))} tokens`,
    formatCost(totals.costUsd),
  ];
  return figures.filter((figure) => figure !== "").join(" · ");
}

export function describeToolCalls({ toolCalls, toolErrors }: Totals): string {
  return formatCount(toolCalls, "tool call") + (toolErrors > 0 ? ` (${toolErrors} failed)` : "");
}

export function subagentName({ agentId, type, description }: Omit<ShownSubagent, "open">): string {
  return [type, description].filter((part) => part).join(": ") || agentId;
}

export function describeSubagentTotals(totals: Totals): string {
  return [
    formatCount(totals.messages, "message"),
    formatCount(totals.toolCalls, "tool call"),
    `${formatTokens(totalTokens(totals.usage))} tokens`,
    formatCost(totals.costUsd),
  ].join(" · ");
}

/** A file, selection or picture that came with a prompt. */
export function describeContext(item: Turn["context"][number], showPath = (path: string) => path): string {
  switch (item.kind) {
    case "ide_selection":
      return `lines ${item.startLine ?? "?"} to ${item.endLine ?? "?"} of ${showPath(item.path ?? "a file")}`;
    case "ide_opened_file":
    case "file":
      return showPath(item.path ?? "a file");
    case "image":
    case "document":
      return `${item.kind} ${item.mediaType ?? ""}`.trim();
  }
}

/** Size of the file that a Base64 text holds. */
export function formatBase64Size(base64: string): string {
  return formatBytes(Math.floor((base64.length * 3) / 4));
}
