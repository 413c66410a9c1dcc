import type { Totals } from "../../session/outline.js";
import { formatCost, formatCount, formatTimeRange, formatTokens, totalTokens } from "../format-values.js";
import type { ShownHeader } from "../shown-session.js";
import { hangingMargin, paintBeside } from "./margin.js";
import type { PaintOptions } from "./paint-options.js";
import { paintText, paintWords } from "./paint-text.js";
import { type Ink, toSpan } from "./span.js";

/** The heading of a session: what it is, and what it took. */
export function paintHeader(header: ShownHeader, totals: Totals, options: PaintOptions): string[] {
  const { style } = options;
  const { title, project, gitBranch, models, startedAt, endedAt, id, forkedFrom, prLinks, note } = header;
  const unknown = totals.unknownOutputs;
  const lines: (readonly [text: string, ink?: Ink])[] = [
    [`${header.favourite ? "★ " : ""}${title}`, style.bold],
    [header.tags.map((tag) => `#${tag}`).join(" "), style.cyan],
    [[project, gitBranch, models.join(", ")].filter((part) => part).join(" · ")],
    [formatTimeRange(startedAt, endedAt)],
    [describeTotals(totals)],
    [unknown > 0 ? `output tokens of ${formatCount(unknown, "message")} are not recorded` : "", style.dim],
    [id, style.dim],
    [forkedFrom ? `forked from ${forkedFrom.sessionId}` : "", style.dim],
    [header.source === null ? "" : `source ${header.source}`, style.dim],
    [header.archived ? "archived: the client's own copy is gone" : "", style.dim],
    ...prLinks.map(({ url }) => [`pull request ${url ?? ""}`] as const),
  ];
  const painted = lines.flatMap(([text, ink]) => (text === "" ? [] : paintWords([toSpan(text, ink)], options)));
  const noted =
    note === null ? [] : paintBeside(hangingMargin("note: "), options, (inner) => paintText(note, null, inner));
  return [...painted, ...noted];
}

function describeTotals(totals: Totals): string {
  const failed = totals.toolErrors > 0 ? ` (${totals.toolErrors} failed)` : "";
  const figures = [
    formatCount(totals.turns, "turn"),
    formatCount(totals.messages, "message"),
    `${formatCount(totals.toolCalls, "tool call")}${failed}`,
    totals.apiErrors > 0 ? formatCount(totals.apiErrors, "API error") : "",
    `${formatTokens(totalTokens(totals.usage))} tokens`,
    formatCost(totals.costUsd),
  ];
  return figures.filter((figure) => figure !== "").join(" · ");
}
