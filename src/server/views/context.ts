import { setImmediate as nextTurn } from "node:timers/promises";
import { stringAt } from "../../format/json.js";
import type { LoadedSession } from "../../library/load/load-session.js";
import type { Usage } from "../../session/messages/usage.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { CompactionOutline } from "../../session/turns/compactions.js";
import { callTurns } from "../../session/turns/outline-turns.js";
import type { AgentSpan, ContextPoint } from "../api/session.js";
import { viewCalls } from "./outline.js";

/** Estimate for text without a recorded token count. */
const BYTES_PER_TOKEN = 4;

/** Text never takes more than this factor of its estimate; the rest of the context is not in the records. */
const MAX_SCALE = 2;

/** What the context window held at the end of each turn. Reads the bodies of all turns, one turn at a time. */
export async function viewContext(session: LoadedSession): Promise<ContextPoint[]> {
  const points: ContextPoint[] = [];
  const compactionsOf = compactionsByTurn(session);
  let window = emptyWindow();
  let system: number | undefined;
  for (const turn of session.turns()) {
    const compaction = compactionsOf.get(turn.index)?.at(-1);
    if (compaction) window = { ...emptyWindow(), summary: compaction.postTokens ?? 0 };
    addTurn(window, turn);
    const recorded = contextTokens(turn);
    system ??= recorded.first === null ? undefined : Math.max(0, recorded.first - tokensOf(turn.prompt));
    points.push(toPoint(turn, window, { recorded: recorded.last, system: system ?? 0, compaction }));
    await nextTurn();
  }
  return points;
}

/** Estimated tokens since the session began, or since the last compaction. */
interface Window {
  prompts: number;
  answers: number;
  thinking: number;
  toolInputs: number;
  readonly toolResults: Map<string, number>;
  readonly filesRead: Set<string>;
  readAgain: number;
  summary: number;
}

function emptyWindow(): Window {
  return {
    prompts: 0,
    answers: 0,
    thinking: 0,
    toolInputs: 0,
    toolResults: new Map(),
    filesRead: new Set(),
    readAgain: 0,
    summary: 0,
  };
}

function addTurn(window: Window, turn: Turn): void {
  const prompts = [turn.prompt, turn.output ?? "", ...turn.followUps.map(({ prompt }) => prompt)];
  for (const text of prompts) window.prompts += tokensOf(text);
  window.thinking = 0;
  for (const block of turn.messages.flatMap(({ blocks }) => blocks)) {
    if (block.kind === "text") window.answers += tokensOf(block.text);
    if (block.kind === "thinking") window.thinking += tokensOf(block.text);
  }
  for (const { name, input, result } of turn.toolCalls) {
    window.toolInputs += tokensOf(JSON.stringify(input) ?? "");
    const tokens = tokensOf(result ?? "");
    window.toolResults.set(name, (window.toolResults.get(name) ?? 0) + tokens);
    const path = name === "Read" ? stringAt(input, "file_path") : undefined;
    if (path === undefined) continue;
    if (window.filesRead.has(path)) window.readAgain += tokens;
    window.filesRead.add(path);
  }
}

interface PointFacts {
  readonly recorded: number | null;
  readonly system: number;
  readonly compaction: CompactionOutline | undefined;
}

/** Scales the estimates to the token count that the API reported. */
function toPoint(turn: Turn, window: Window, { recorded, system, compaction }: PointFacts): ContextPoint {
  const results = [...window.toolResults.values()].reduce((sum, tokens) => sum + tokens, 0);
  const estimated = window.prompts + window.answers + window.thinking + window.toolInputs + results + window.summary;
  const room = recorded === null ? estimated : Math.max(0, recorded - system);
  const scale = estimated === 0 ? 1 : Math.min(MAX_SCALE, room / estimated);
  const scaled = (tokens: number) => Math.round(tokens * scale);
  return {
    turn: turn.index,
    at: turn.endedAt,
    recordedTokens: recorded,
    system: recorded === null ? system : Math.round(Math.max(0, recorded - estimated * scale)),
    prompts: scaled(window.prompts),
    answers: scaled(window.answers),
    thinking: scaled(window.thinking),
    toolInputs: scaled(window.toolInputs),
    toolResults: Object.fromEntries([...window.toolResults].map(([name, tokens]) => [name, scaled(tokens)])),
    summary: scaled(window.summary),
    readAgain: scaled(window.readAgain),
    compaction: compaction ? { preTokens: compaction.preTokens, postTokens: compaction.postTokens } : null,
    scale,
  };
}

/** Input tokens of the first message of a turn, and input plus output tokens of the last one. */
function contextTokens(turn: Turn): { readonly first: number | null; readonly last: number | null } {
  const answers = turn.messages.filter(({ author }) => author === "model");
  const read = ({ input, cacheRead, cacheWrite5m, cacheWrite1h }: Usage) =>
    input + cacheRead + cacheWrite5m + cacheWrite1h;
  const [first, last] = [answers[0], answers.at(-1)];
  const known = (tokens: number) => (tokens > 0 ? tokens : null);
  return {
    first: first ? known(read(first.usage)) : null,
    last: last && read(last.usage) > 0 ? read(last.usage) + last.usage.output : null,
  };
}

function compactionsByTurn({ outline }: LoadedSession): Map<number, CompactionOutline[]> {
  const byLine = new Map(outline.compactions.map((compaction) => [compaction.line, compaction]));
  const found = new Map<number, CompactionOutline[]>();
  for (const { index, nodes } of outline.turns) {
    const own = nodes.flatMap(({ line }) => byLine.get(line) ?? []);
    if (own.length > 0) found.set(index, own);
  }
  return found;
}

export function tokensOf(text: string): number {
  return Buffer.byteLength(text) / BYTES_PER_TOKEN;
}

/** When each sub-agent worked; warm-up agents are omitted. */
export function viewAgents(session: LoadedSession): AgentSpan[] {
  const turnOfCall = callTurns(session.outline);
  return session
    .subagents()
    .filter(({ warmup }) => !warmup)
    .map((agent) => {
      const { outline } = session.subagentSession(agent);
      const times = outline.active.flatMap(({ time }) => time ?? []);
      return {
        agentId: agent.agentId,
        turn: turnOfCall.get(agent.toolUseId ?? "") ?? null,
        name: [agent.type, agent.description].filter((part) => part).join(": ") || agent.agentId,
        startedAt: times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b)),
        endedAt: times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)),
        calls: viewCalls(outline.active, outline),
      };
    });
}
