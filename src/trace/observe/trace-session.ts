import { existsSync, statSync } from "node:fs";
import { stringAt } from "../../format/json.js";
import type { SharedSubagents } from "../../format/layout/files-of-session.js";
import { sessionPaths, transcriptOf } from "../../format/layout/session-paths.js";
import type { Bodies, Node } from "../../session/graph/node.js";
import type { PriceTable } from "../../session/messages/cost.js";
import { emptyUsage } from "../../session/messages/usage.js";
import { KEPT_BYTES, type Outline, readSession } from "../../session/open-session.js";
import { buildPreamble, buildTurn, type ReadBodies, type Turn } from "../../session/turns/build-turn.js";
import { buildCompaction } from "../../session/turns/compactions.js";
import { type CollectedTurn, collectTurns } from "./collect-turns.js";
import { earlierTurns } from "./earlier-turns.js";
import { fillTimes } from "./fill-times.js";
import type { KnownAgent, Trace } from "./observation.js";
import { type FoundAgent, findAgents, observeAgent, type SessionAgents } from "./observe-agents.js";
import { textOf } from "./observe-exchange.js";
import { observeTurn, observeUnlinkedAgent, type TracePlace } from "./observe-turn.js";
import { hashText } from "./span-ids.js";
import type { TurnSource } from "./turn-source.js";

export interface TraceOptions {
  readonly userId?: string | undefined;
  readonly prices?: PriceTable | undefined;
  readonly sharedSubagents?: SharedSubagents | undefined;
  /** Where to begin: the first record of a turn, and the number of that turn. Else the whole file. */
  readonly from?: TurnPosition | undefined;
  /**
   * What is known of the session beside its records: `ended`, nothing more will be written; `stopped`, the client says
   * that the last turn is over, with a hash of the words with which it ended. Else it may go on.
   */
  readonly state?: SessionState | undefined;
  /** Without a `state`: a session whose last record is older than this (ms since the epoch) is taken as ended. */
  readonly liveSince?: number | undefined;
  /** Gives each generation the whole conversation before it, which takes reading the file from its start. */
  readonly keepsConversation?: boolean | undefined;
  /** Sub-agents of turns before `from`: what they did since belongs to those. */
  readonly knownAgents?: ReadonlyMap<string, KnownAgent> | undefined;
}

export type SessionState = { readonly kind: "ended" } | { readonly kind: "stopped"; readonly wordsHash: string | null };

export interface TurnPosition {
  readonly offset: number; // bytes
  readonly line: number;
  readonly number: number;
}

export interface TracedTurn {
  readonly trace: Trace;
  /** Nothing in it will change, so it can be sent. */
  readonly isFinal: boolean;
  /** Null for what is outside the turns: a preamble, an agent that no call launched. */
  readonly position: TurnPosition | null;
  /** The sub-agents that are part of it; what they do later belongs to the same trace. */
  readonly agents: readonly FoundAgent[];
}

/** The turns of a session file as traces, one in memory at a time. */
export function* traceSession(path: string, options: TraceOptions = {}): Generator<TracedTurn> {
  const { keepsConversation = false } = options;
  const from = options.from;
  const { session, bodiesOf } = readFrom(path, keepsConversation ? undefined : from);
  // As a live session, so that only records can complete the last turn.
  const { active, turns, preamble } = collectTurns(session.viewer({ liveSince: 0 }));
  const agents = findAgents(path, active, options.sharedSubagents);
  const state = options.state ?? (isQuiet(active, options.liveSince) ? { kind: "ended" } : undefined);
  const lastState = state?.kind === "ended" && goesOnElsewhere(path, active) ? LEFT : state;
  const place: TracePlace = {
    sessionId: sessionPaths(path).id,
    userId: options.userId ?? null,
    fallbackMs: Math.floor(statSync(path).mtimeMs),
    prices: options.prices,
    agents,
    keepsConversation,
  };
  const earlier = keepsConversation ? earlierTurns(active, bodiesOf) : null;
  if (preamble.some(({ role }) => role === "answer")) {
    yield {
      trace: observeTurn(preambleSource(bodiesOf(preamble), preamble, active), place),
      isFinal: true,
      position: null,
      agents: [],
    };
  }
  for (const [at, collected] of turns.entries()) {
    if (collected.sketch.start.offset < (from?.offset ?? 0)) continue;
    const number = (keepsConversation ? 1 : (from?.number ?? 1)) + at;
    const source = { ...readTurn(bodiesOf, collected, number), earlier: earlier?.(collected) ?? null };
    const known = agents.claimed().length;
    const trace = observeTurn(source, place);
    const { offset, line } = collected.sketch.start;
    yield {
      trace,
      isFinal: isFinal(source.turn, collected, turns.length - 1 - at, lastState),
      position: { offset, line, number },
      agents: agents.claimed().slice(known),
    };
  }
  yield* lateAgents(agents, place, options.knownAgents);
  if (state?.kind === "ended") yield* loneAgents(agents, place, options.knownAgents);
}

/** The last turn, where it is not over, is gone on with in a copy of the session: the copy tells it, with the same ids. */
const LEFT: SessionState = { kind: "stopped", wordsHash: null };

/** As `/background` leaves a session (2.1.326). Where the copy is gone, the session counts for itself again. */
function goesOnElsewhere(path: string, { facts }: Outline): boolean {
  const next = facts.relations.continuedIn?.sessionId;
  return next !== undefined && existsSync(transcriptOf(sessionPaths(path).projectDir, next));
}

function readFrom(path: string, from: TurnPosition | undefined): ReturnType<typeof readSession> {
  const { offset, line } = from ?? { offset: 0, line: 1 };
  return readSession(path, { offset, line, keepsBodies: statSync(path).size - offset <= KEPT_BYTES });
}

function isQuiet({ facts }: Outline, liveSince: number | undefined): boolean {
  return liveSince !== undefined && !(Date.parse(facts.endedAt ?? "") >= liveSince);
}

function readTurn(
  bodiesOf: ReadBodies,
  { sketch, outline, compactions }: CollectedTurn,
  number: number,
): Omit<TurnSource, "earlier"> {
  const summaries = compactions.flatMap(({ summaryNode }) => summaryNode ?? []);
  const bodies = bodiesOf([...new Set([...sketch.nodes, ...summaries])]);
  return {
    turn: buildTurn(sketch, bodies, outline),
    number,
    start: bodies.of(sketch.start),
    records: bodies.all(sketch.nodes),
    compactions: compactions.map((compaction) => buildCompaction(compaction, bodies)),
  };
}

/** Answers before the first prompt, in a history whose beginning is lost, become turn 0. */
function preambleSource(bodies: Bodies, nodes: readonly Node[], outline: Outline): TurnSource {
  const preamble = buildPreamble({ nodes: [...nodes], locals: [], marks: [] }, bodies, outline);
  const start = nodes.map(bodies.of).find((record) => record !== undefined);
  const turn: Turn = {
    ...preamble,
    index: 0,
    uuid: nodes.find(({ uuid }) => uuid !== undefined)?.uuid ?? null,
    line: nodes[0]?.line ?? 0,
    kind: "prompt",
    round: "new_session",
    prompt: "",
    permissionMode: null,
    context: [],
    attached: [],
    attachedFiles: [],
    followUps: [],
    output: null,
    startedAt: preamble.messages[0]?.startedAt ?? null,
    endedAt: preamble.messages.at(-1)?.endedAt ?? null,
    durationMs: null,
    interrupted: false,
    complete: true,
    usage: emptyUsage(),
  };
  return { turn, number: 0, start, records: bodies.all(nodes), compactions: [], earlier: null };
}

/** `later` turns began after it. A result that comes late comes before the turn after the next. */
function isFinal(turn: Turn, { sketch }: CollectedTurn, later: number, state: TraceOptions["state"]): boolean {
  if (state?.kind === "ended") return true;
  if (turn.toolCalls.some(isPendingAgent)) return false;
  const hasOpenCall = turn.toolCalls.some(({ status }) => status === "orphan");
  if (later > 0) return sketch.isComplete && (!hasOpenCall || turn.interrupted || later > 1);
  return state?.kind === "stopped" && !hasOpenCall && isEndWritten(turn, state.wordsHash);
}

/** A background sub-agent that has not finished. */
function isPendingAgent({ resultData, notification }: Turn["toolCalls"][number]): boolean {
  return notification === null && stringAt(resultData, "status") === "async_launched";
}

/** Claude Code runs the hook with the last message of a turn before it has written it. */
function isEndWritten({ messages }: Turn, wordsHash: string | null): boolean {
  const last = messages.findLast(({ author, isApiError }) => author === "model" || isApiError);
  if (!last) return false;
  if (last.isApiError) return true;
  if (last.blocks.some(({ kind }) => kind === "toolCall")) return false; // the model was yet to hear the result
  const texts = last.blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []));
  if (wordsHash === null) return texts.some((text) => text.trim() !== "");
  return [textOf(last), texts.at(-1) ?? ""].some((words) => hashText(words) === wordsHash);
}

/** What sub-agents did after their turn was sent: new children of spans that are there already. */
function* lateAgents(
  agents: SessionAgents,
  place: TracePlace,
  known: TraceOptions["knownAgents"],
): Generator<TracedTurn> {
  for (const agent of [...agents.unclaimed()]) {
    const earlier = known?.get(agent.agentId);
    if (!earlier || earlier.size === agent.size) continue;
    const drafts = observeAgent(agent.read(), null, earlier.parentSpanId, place);
    const trace = { ...earlier.trace, observations: fillTimes(drafts, place.fallbackMs) };
    yield { trace, isFinal: true, position: null, agents: [agent] };
  }
}

function* loneAgents(
  agents: SessionAgents,
  place: TracePlace,
  known: TraceOptions["knownAgents"],
): Generator<TracedTurn> {
  for (const agent of [...agents.unclaimed()]) {
    if (known?.has(agent.agentId)) continue;
    yield { trace: observeUnlinkedAgent(agent.read(), place), isFinal: true, position: null, agents: [agent] };
  }
}
