import { describeState } from "../../../app/live/live-events.js";
import type { LiveRow } from "../../../app/live/view-live.js";
import { formatCost, formatTokens } from "../../../render/format-values.js";
import { cleanText, firstWords, moreLine, type PageItem, parseCursor, takePage } from "../answer-pages.js";
import type { McpLibrary } from "../mcp-library.js";
import { cursorField, defineMcpTool, limitField } from "../mcp-tool.js";

const DEFAULT_LIMIT = 20;
const TEXT_CHARACTERS = 300;
const MAX_AGENTS = 10;

export const runningSessionsTool = defineMcpTool({
  name: "running_sessions",
  title: "Show running sessions",
  description:
    "Lists the Claude Code sessions that run on this machine now, and those that ended in the last ten minutes: working, waiting for a " +
    "person (permission, answer, next prompt), stuck, finished, failed; with last line, context used and cost. One of them is " +
    "usually the session that asks.",
  fields: { limit: limitField(DEFAULT_LIMIT, 100), cursor: cursorField },
  async answer({ limit = DEFAULT_LIMIT, cursor }, library) {
    const rows = await library.live();
    const [start = 0] = parseCursor(cursor, 1);
    const page = takePage(toItems(rows, start, library), limit);
    return {
      text: page.items.length === 0 ? "no session runs now" : page.text + moreLine(page.nextCursor),
      structured: { sessions: page.items, total: rows.length, nextCursor: page.nextCursor },
    };
  },
});

function* toItems(rows: readonly LiveRow[], start: number, { clean }: McpLibrary): Generator<PageItem<object>> {
  for (const [at, row] of rows.entries()) {
    if (at < start) continue;
    const words = (text: string | null) =>
      text === null ? null : firstWords(cleanText(text, clean, "state"), TEXT_CHARACTERS);
    const { path: _path, agents, ...others } = row;
    const item = {
      ...others,
      title: words(row.title),
      project: row.project === null ? null : cleanText(row.project, clean, "project"),
      gitBranch: words(row.gitBranch),
      detail: words(row.detail),
      lastLine: words(row.lastLine),
      agents: agents.slice(0, MAX_AGENTS).map(({ type, description }) => {
        return { type: words(type), description: words(description) };
      }),
    };
    const figures = [
      item.contextTokens === null ? "" : `context ${formatTokens(item.contextTokens)}`,
      item.totalCostUsd === null ? "" : formatCost(item.totalCostUsd),
      item.since === null ? "" : `since ${item.since}`,
    ];
    const text = [
      `${item.id} "${item.title ?? ""}" ${describeState(item)}`,
      `  ${[item.project, ...figures].filter(Boolean).join(" · ")}`,
      ...(item.lastLine === null ? [] : [`  ${item.lastLine}`]),
    ].join("\n");
    yield { item, text, cursor: `${at}` };
  }
}
