import type { Turn } from "../../session/turns/build-turn.js";
import { answerMessage, messagesContent, userMessage } from "./conversation.js";
import { fillTimes } from "./fill-times.js";
import { type Draft, type Observation, PLAIN, type Trace, toMs } from "./observation.js";
import { type Agent, type AgentPlace, observeAgent, observeLaunched } from "./observe-agents.js";
import { observeExchange, textOf } from "./observe-exchange.js";
import { observeMoments } from "./observe-moments.js";
import { originOf, spanIdOf, traceIdOf } from "./span-ids.js";
import { tagsOf, turnMetadata } from "./turn-facts.js";
import type { TurnSource } from "./turn-source.js";

export interface TracePlace extends AgentPlace {
  readonly sessionId: string;
  readonly userId: string | null;
  /** For a file in which nothing has a time. */
  readonly fallbackMs: number;
}

/** A turn as one trace: the root is the agent that was asked; below it generations, their tools, and sub-agents. */
export function observeTurn(source: TurnSource, place: TracePlace): Trace {
  const { turn, number, records } = source;
  const key = turnKey(source, place.sessionId);
  const rootSpanId = spanIdOf("turn", key);
  const prompt = userMessage(turn.prompt);
  const startMs = toMs(turn.startedAt);
  const owner = ownerOf(source) ?? place.sessionId;
  const root: Draft = {
    ...PLAIN,
    kind: "turn",
    spanId: rootSpanId,
    parentSpanId: null,
    name: `Turn ${number}`,
    startMs,
    endMs: toMs(turn.endedAt),
    input: messagesContent(prompt),
    output: lastAnswer(turn),
    ...verdict(turn),
    metadata: { ...turnMetadata(source, owner), ...(isInterrupted(turn) ? { interrupted: true } : {}) },
  };
  const inner = observeExchange(
    { ...turn, records, compactions: source.compactions },
    {
      parentSpanId: rootSpanId,
      prompt,
      earlier: source.earlier,
      startMs,
      agent: null,
      prices: place.prices,
      inside: (call, toolSpanId) => observeLaunched(call, toolSpanId, place),
    },
  );
  const moments = observeMoments(source, { rootSpanId, sessionId: place.sessionId });
  return {
    traceId: traceIdOf(key),
    rootSpanId,
    name: root.name,
    turnNumber: number,
    sessionId: owner,
    userId: place.userId,
    tags: tagsOf(source),
    observations: withWorkingTime(fillTimes([root, ...inner, ...moments], place.fallbackMs)),
  };
}

/** A sub-agent that no call launched; it still cost tokens. */
export function observeUnlinkedAgent(agent: Agent, place: TracePlace): Trace {
  const [root, ...inner] = observeAgent(agent, null, null, place);
  const drafts = root
    ? [{ ...root, metadata: { source: "claude-code", session_id: place.sessionId, ...root.metadata } }, ...inner]
    : [];
  return {
    traceId: traceIdOf(`agent ${agent.agentId}`),
    rootSpanId: spanIdOf("agent", agent.agentId),
    name: "Sub-agent",
    turnNumber: null,
    sessionId: place.sessionId,
    userId: place.userId,
    tags: [],
    observations: fillTimes(drafts, place.fallbackMs),
  };
}

/** A fork that renewed the uuids names the original. */
function turnKey({ turn, start }: TurnSource, sessionId: string): string {
  return originOf(start) ?? turn.uuid ?? `${sessionId} line ${turn.line}`;
}

/** The session in which a copied turn was asked. */
function ownerOf({ start, records }: TurnSource): string | undefined {
  const first = records.find((record) => record.kind === "assistant");
  const maker = first?.kind === "assistant" ? first.requestSessionId : undefined;
  return maker ?? (start && start.kind !== "broken" ? start.forkedFrom?.sessionId : undefined);
}

function lastAnswer({ messages }: Turn): Draft["output"] {
  const answer = messages.findLast((message) => message.author === "model" && textOf(message) !== "");
  return answer && messagesContent(answerMessage(answer, "words"));
}

/** Also true for a prompt without an answer and a call without a result. */
function isInterrupted({ interrupted, messages, toolCalls }: Turn): boolean {
  const last = messages.findLast(({ author, isApiError }) => author === "model" || isApiError);
  if (interrupted || !last) return true;
  const open = new Set(toolCalls.flatMap(({ id, status }) => (status === "orphan" ? [id] : [])));
  return last.blocks.some((block) => block.kind === "toolCall" && open.has(block.id));
}

function verdict(turn: Turn): Pick<Draft, "level" | "statusMessage"> {
  const last = turn.messages.at(-1);
  if (last?.isApiError) return { level: "ERROR", statusMessage: textOf(last) };
  if (isInterrupted(turn)) return { level: "WARNING", statusMessage: "interrupted" };
  return { level: "DEFAULT", statusMessage: null };
}

/** Tells the time in which a person had to answer apart from the time in which Claude Code worked. */
function withWorkingTime(observations: readonly Observation[]): Observation[] {
  const waits = observations.filter(({ kind }) => kind === "wait");
  return observations.map((observation) => {
    if (observation.kind !== "turn") return observation;
    const { startMs, endMs, metadata } = observation;
    const waiting = coveredMs(waits, startMs, endMs);
    return { ...observation, metadata: { ...metadata, waiting_ms: waiting, working_ms: endMs - startMs - waiting } };
  });
}

/** Of overlapping times each moment counts once. */
function coveredMs(spans: readonly Observation[], from: number, to: number): number {
  let covered = 0;
  let reached = from;
  for (const { startMs, endMs } of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    const end = Math.min(endMs, to);
    covered += Math.max(0, end - Math.max(startMs, reached));
    reached = Math.max(reached, end);
  }
  return covered;
}
