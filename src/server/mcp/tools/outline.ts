import { toFileCalls } from "../../../format/record/file-changes.js";
import type { LoadedSession } from "../../../library/load/load-session.js";
import type { Subagent } from "../../../library/load/subagents.js";
import { formatCount, formatDuration, totalTokens } from "../../../render/format-values.js";
import { describeCosts, describeFailures, describeToolCalls } from "../../../render/labels.js";
import type { ToolStatus } from "../../../session/messages/tool-status.js";
import { pickCosts, pickCounts, type SessionCosts } from "../../../session/session-spend.js";
import type { Turn } from "../../../session/turns/build-turn.js";
import type { CompactionOutline } from "../../../session/turns/compactions.js";
import { callTurns } from "../../../session/turns/outline-turns.js";
import { cleanText, firstWords, moreLine, type PageItem, parseCursor, takePage } from "../answer-pages.js";
import type { McpLibrary } from "../mcp-library.js";
import { agentField, cursorField, defineMcpTool, openAgent, sessionField } from "../mcp-tool.js";

const PROMPT_CHARACTERS = 300;
const PATH_CHARACTERS = 200;
const NAME_CHARACTERS = 100;
const MAX_FILES = 15;
const MAX_TOOLS = 30;

export const sessionOutlineTool = defineMcpTool({
  name: "session_outline",
  title: "Outline of a session",
  description:
    "A past session turn by turn, without its texts: number, prompt, times, tools used, errors, files; and between the turns " +
    "compactions and sub-agents. Use it to see what happened in a session and which turns to read with session_turns.",
  fields: { session: sessionField, agent: agentField, cursor: cursorField },
  async answer({ session: name, agent, cursor }, library) {
    const session = await openAgent(name, agent, library);
    const page = takePage(toItems(session, parseCursor(cursor, 2), library));
    const costs = await costsOf(agent, session, library);
    const header = toHeader(session, costs, library);
    const of = <Kind extends Entry["kind"]>(kind: Kind) =>
      page.items.filter((entry) => entry.kind === kind).map(withoutKind);
    return {
      text: `${headerText(header, costs)}\n\n${page.text}${moreLine(page.nextCursor)}`,
      structured: {
        session: header,
        turns: of("turn"),
        compactions: of("compaction"),
        subagents: of("subagent"),
        nextCursor: page.nextCursor,
      },
    };
  },
});

interface Entry {
  readonly kind: "turn" | "compaction" | "subagent";
  readonly turn: number | null;
}

function withoutKind({ kind: _kind, ...entry }: Entry): object {
  return entry;
}

function toHeader({ header, outline, sizeBytes }: LoadedSession, costs: SessionCosts, { clean }: McpLibrary) {
  const { totals } = outline;
  const short = (text: string | null) => text && firstWords(cleanText(text, clean, "session"), PROMPT_CHARACTERS);
  return {
    id: header.id,
    title: short(header.title) ?? "",
    project: short(header.project),
    gitBranch: short(header.gitBranch),
    startedAt: header.startedAt,
    endedAt: header.endedAt,
    models: header.models.slice(0, MAX_FILES),
    ...pickCounts(costs),
    conversation: pickCounts(totals),
    tokens: totalTokens(totals.usage),
    costUsd: totals.costUsd,
    totalTokens: totalTokens(costs.totalUsage),
    totalCostUsd: costs.totalCostUsd,
    subagentCostUsd: costs.subagentCostUsd,
    rewoundCostUsd: costs.rewoundCostUsd,
    copiedCostUsd: costs.copiedCostUsd,
    copiedTurns: costs.copiedTurns,
    compactions: outline.compactions.length,
    rewoundBranches: outline.deadBranches.length,
    sizeBytes,
  };
}

/** As the list tells them. */
async function costsOf(agent: string | undefined, session: LoadedSession, library: McpLibrary): Promise<SessionCosts> {
  const listed =
    agent === undefined ? (await library.list()).find(({ path }) => path === session.header.path) : undefined;
  return listed ? pickCosts(listed) : session.costs();
}

function headerText(header: ReturnType<typeof toHeader>, costs: SessionCosts): string {
  const { id, title, project, startedAt, endedAt, turns, apiErrors } = header;
  const errors = apiErrors > 0 ? [formatCount(apiErrors, "API error")] : [];
  const counts = [formatCount(turns, "turn"), describeToolCalls(header), ...errors, ...describeCosts(costs)].join(
    " · ",
  );
  return `${title}\n${id}\n${[project, startedAt, endedAt].filter(Boolean).join(" · ")}\n${counts}`;
}

/** The preamble is turn 0; sub-agents without a known turn come last. A cursor is a turn and a position in it. */
function* toItems(
  session: LoadedSession,
  [startTurn = 0, startAt = 0]: readonly number[],
  library: McpLibrary,
): Generator<PageItem<Entry>> {
  const { outline } = session;
  const byTurn = entriesByTurn(session, library);
  const last = outline.turns.length + 1;
  for (let index = startTurn; index <= last; index++) {
    const turn = session.turn(index);
    const own = turn ? [turnEntry(turn, library)] : [];
    for (const [at, entry] of [...own, ...(byTurn.get(index) ?? [])].entries()) {
      if (index > startTurn || at >= startAt) yield { ...entry, cursor: `${index}.${at}` };
    }
  }
}

type EntryText = Omit<PageItem<Entry>, "cursor">;

function entriesByTurn(session: LoadedSession, library: McpLibrary): Map<number, EntryText[]> {
  const { outline } = session;
  const byTurn = new Map<number, EntryText[]>();
  const add = (turn: number, entry: EntryText) => byTurn.set(turn, [...(byTurn.get(turn) ?? []), entry]);
  const turnOfLine = new Map(
    outline.turns.flatMap(({ index, nodes }) => nodes.map(({ line }) => [line, index] as const)),
  );
  const turnOfCall = callTurns(outline);
  for (const compaction of outline.compactions) {
    const turn = turnOfLine.get(compaction.line) ?? 0;
    add(turn, compactionEntry(compaction, turn));
  }
  for (const agent of session.subagents()) {
    const turn = turnOfCall.get(agent.toolUseId ?? "");
    add(turn ?? outline.turns.length + 1, subagentEntry(agent, turn ?? null, library));
  }
  return byTurn;
}

function compactionEntry({ at, trigger, preTokens, postTokens }: CompactionOutline, turn: number): EntryText {
  const size = preTokens === null ? "" : ` of ${preTokens} tokens`;
  return {
    item: { kind: "compaction", turn, at, trigger, preTokens, postTokens } as Entry,
    text: `   compacted${size}${trigger === null ? "" : ` (${firstWords(trigger, NAME_CHARACTERS)})`}`,
  };
}

function subagentEntry(
  { agentId, type, description, warmup, isFork, workflow, totals }: Subagent,
  turn: number | null,
  library: McpLibrary,
): EntryText {
  const short = (text: string | null) =>
    text && firstWords(cleanText(text, library.clean, "sub-agent"), PATH_CHARACTERS);
  const item = {
    kind: "subagent" as const,
    turn,
    agentId,
    type: short(type),
    description: short(description),
    warmup,
    isFork,
    phase: short(workflow?.phase ?? null),
    turns: totals.turns,
    toolCalls: totals.toolCalls,
    toolErrors: totals.toolErrors,
    failedToolCalls: totals.failedToolCalls,
    deniedToolCalls: totals.deniedToolCalls,
    interruptedToolCalls: totals.interruptedToolCalls,
    apiErrors: totals.apiErrors,
    tokens: totalTokens(totals.usage),
    costUsd: totals.costUsd,
  };
  const named = [item.type, item.phase, item.description].filter(Boolean).join(": ");
  return { item, text: `   sub-agent ${agentId} ${named} (${formatCount(item.toolCalls, "tool call")})` };
}

function turnEntry(turn: Turn, { clean }: McpLibrary): EntryText {
  const files = [...new Set(turn.toolCalls.flatMap((call) => toFileCalls(call).map(({ path }) => path)))];
  const shown = files.slice(0, MAX_FILES).map((path) => firstWords(cleanText(path, clean, "path"), PATH_CHARACTERS));
  const ended = (...wanted: ToolStatus[]) => turn.toolCalls.filter(({ status }) => wanted.includes(status)).length;
  const apiErrors = turn.messages.filter(({ isApiError }) => isApiError).length;
  const item = {
    kind: "turn" as const,
    turn: turn.index,
    promptKind: turn.kind,
    prompt: firstWords(cleanText(turn.prompt, clean, "prompt"), PROMPT_CHARACTERS),
    startedAt: turn.startedAt,
    durationMs: turn.durationMs,
    interrupted: turn.interrupted,
    toolCalls: turn.toolCalls.length,
    tools: countTools(turn),
    toolErrors: ended("error", "denied", "interrupted"),
    failedToolCalls: ended("error"),
    deniedToolCalls: ended("denied"),
    interruptedToolCalls: ended("interrupted"),
    apiErrors,
    files: shown,
    ...(files.length > shown.length ? { moreFiles: files.length - shown.length } : {}),
  };
  return { item, text: turnText(item) };
}

function countTools({ toolCalls }: Turn): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of toolCalls) counts.set(name, (counts.get(name) ?? 0) + 1);
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MAX_TOOLS);
  return Object.fromEntries(most.map(([name, count]) => [firstWords(name, NAME_CHARACTERS), count]));
}

interface TurnEntry extends Entry {
  readonly prompt: string;
  readonly startedAt: string | null;
  readonly durationMs: number | null;
  readonly interrupted: boolean;
  readonly tools: Readonly<Record<string, number>>;
  readonly failedToolCalls: number;
  readonly deniedToolCalls: number;
  readonly interruptedToolCalls: number;
  readonly apiErrors: number;
  readonly files: readonly string[];
  readonly moreFiles?: number;
}

function turnText(entry: TurnEntry): string {
  const tools = Object.entries(entry.tools).map(([name, count]) => `${name} ${count}×`);
  const facts = [
    entry.startedAt,
    entry.durationMs === null ? "" : formatDuration(entry.durationMs),
    tools.join(", "),
    describeFailures(entry).join(", "),
    entry.apiErrors > 0 ? formatCount(entry.apiErrors, "API error") : "",
    entry.interrupted ? "interrupted" : "",
  ];
  const more = entry.moreFiles === undefined ? "" : ` and ${entry.moreFiles} more`;
  const files = entry.files.length === 0 ? "" : `\n   files: ${entry.files.join(", ")}${more}`;
  return `${entry.turn}. ${entry.prompt}\n   ${facts.filter(Boolean).join(" · ")}${files}`;
}
