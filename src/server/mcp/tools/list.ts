import * as z from "zod";
import { matchesFilter, type SessionSummary } from "../../../library/load/session-summary.js";
import { formatCount, totalTokens } from "../../../render/format-values.js";
import { describeCosts, describeToolCalls } from "../../../render/labels.js";
import { pickCounts } from "../../../session/session-spend.js";
import { badCursor, cleanText, firstWords, moreLine, type PageItem, takePage } from "../answer-pages.js";
import type { McpLibrary } from "../mcp-library.js";
import {
  argumentFilter,
  cursorField,
  defineMcpTool,
  limitField,
  projectField,
  sinceField,
  untilField,
} from "../mcp-tool.js";

const DEFAULT_LIMIT = 20;
const TITLE_CHARACTERS = 300;
const MAX_MODELS = 10;
const MAX_TAGS = 10;

export const listSessionsTool = defineMcpTool({
  name: "list_sessions",
  title: "List past sessions",
  description:
    "Lists past Claude Code sessions, latest activity first: id, title, project, times, turns, tool calls, tokens, cost. Use it to " +
    "find a session by project, time, model or branch; to find one by what was said in it use search_sessions. The first of " +
    "the list may be the current session.",
  fields: {
    project: projectField,
    since: sinceField,
    until: untilField,
    model: z.string().optional().describe("Only sessions that used a model whose name contains this"),
    gitBranch: z.string().optional().describe("Only sessions that ended on this git branch"),
    tool: z.string().optional().describe("Only sessions that used this tool"),
    errors: z.boolean().optional().describe("Only sessions with failed tool calls or API errors"),
    limit: limitField(DEFAULT_LIMIT, 100),
    cursor: cursorField,
  },
  async answer({ limit = DEFAULT_LIMIT, cursor, ...filters }, library) {
    const filter = argumentFilter(filters);
    const first = cursor === undefined ? undefined : placeOf(cursor);
    const chosen = (await library.list()).filter((session) => matchesFilter(session, filter)).sort(inOrder);
    const rest = first === undefined ? chosen : chosen.filter((session) => inOrder(session, first) >= 0);
    const page = takePage(toItems(rest, library), limit);
    return {
      text: page.items.length === 0 ? "no sessions" : page.text + moreLine(page.nextCursor),
      structured: { sessions: page.items, total: chosen.length, nextCursor: page.nextCursor },
    };
  },
});

/** Stays valid when other sessions become active in the meantime. */
function cursorOf({ id, endedAt }: Place): string {
  return `${endedAt ?? ""}|${id}`;
}

type Place = Pick<SessionSummary, "id" | "endedAt">;

function placeOf(cursor: string): Place {
  const at = cursor.indexOf("|");
  if (at < 0) throw badCursor(cursor);
  return { endedAt: cursor.slice(0, at), id: cursor.slice(at + 1) };
}

function inOrder(a: Place, b: Place): number {
  const [left, right] = [a.endedAt ?? "", b.endedAt ?? ""];
  if (left !== right) return left > right ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function* toItems(sessions: readonly SessionSummary[], { clean }: McpLibrary): Generator<PageItem<object>> {
  for (const session of sessions) {
    const item = {
      id: session.id,
      title: firstWords(cleanText(session.title, clean, "title"), TITLE_CHARACTERS),
      project: session.project === null ? null : cleanText(session.project, clean, "project"),
      gitBranch: session.gitBranch === null ? null : firstWords(session.gitBranch, TITLE_CHARACTERS),
      startedAt: session.startedAt,
      endedAt: session.endedAt,
      ...pickCounts(session),
      conversation: session.conversation,
      subagents: session.subagents,
      models: session.models.slice(0, MAX_MODELS),
      tokens: totalTokens(session.usage),
      costUsd: session.costUsd,
      totalTokens: totalTokens(session.totalUsage),
      totalCostUsd: session.totalCostUsd,
      subagentCostUsd: session.subagentCostUsd,
      rewoundCostUsd: session.rewoundCostUsd,
      copiedCostUsd: session.copiedCostUsd,
      copiedTurns: session.copiedTurns,
      sizeBytes: session.sizeBytes,
      tags: session.tags.slice(0, MAX_TAGS),
      archived: session.archived,
    };
    const counts = [
      formatCount(item.turns, "turn"),
      describeToolCalls(item),
      item.apiErrors > 0 ? formatCount(item.apiErrors, "API error") : "",
      ...describeCosts(session),
    ];
    const text = `${item.id} "${item.title}"\n  ${[item.project, item.gitBranch, item.endedAt, ...counts].filter(Boolean).join(" · ")}`;
    yield { item, text, cursor: cursorOf(session) };
  }
}
