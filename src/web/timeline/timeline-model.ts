import type { AgentSpan, OutlineCall, OutlineTurn } from "../../server/api/session.js";
import { isFailure } from "../session/visible-parts.js";
import { createTimeScale, type TimeScale } from "./time-scale.js";

/** What the timeline draws; places are those of its scale. */
export interface TimelineModel {
  readonly scale: TimeScale;
  readonly turns: readonly TurnSpan[];
  /** In the order of their beginning. */
  readonly calls: readonly CallSpan[];
  readonly callLanes: number;
  readonly agents: readonly AgentLaneSpan[];
  readonly agentLanes: number;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Who was waited for: the model, a tool, or the person that was asked something. */
export type Waiting = "model" | "tool" | "person";

export interface TurnSpan extends Span {
  readonly turn: OutlineTurn;
  readonly failures: number;
  readonly parts: readonly (Span & { readonly waiting: Waiting })[];
  /** Milliseconds by who was waited for. */
  readonly spent: Readonly<Record<Waiting, number>>;
  /** From the end of the turn before it: the person did something else. */
  readonly pauseMs: number;
}

export interface CallSpan extends Span {
  readonly call: OutlineCall;
  readonly turn: number;
  readonly lane: number;
}

export interface AgentLaneSpan extends Span {
  readonly agent: AgentSpan;
  readonly lane: number;
  readonly calls: readonly (Span & { readonly call: OutlineCall })[];
}

const MAX_LANES = 5;
const MAX_AGENT_LANES = 8;
/** Tools that wait for an answer of the person. */
const ASKING = new Set(["AskUserQuestion", "ExitPlanMode", "EnterPlanMode"]);

export function buildTimeline(
  turns: readonly OutlineTurn[],
  agents: readonly AgentSpan[],
  cutsPauses: boolean,
): TimelineModel {
  const timed = turns.flatMap((turn) => timeTurn(turn) ?? []).sort((a, b) => a.from - b.from);
  const worked = agents.flatMap((agent) => timeAgent(agent) ?? []);
  const busy = [...timed, ...worked].sort((a, b) => a.from - b.from);
  const scale = createTimeScale(busy, cutsPauses);
  const spanOf = ({ from, to }: Interval): Span => ({ start: scale.placeOf(from), end: scale.placeOf(to) });
  let before: number | undefined;
  const shown = timed.map((one): TurnSpan => {
    const pauseMs = before === undefined ? 0 : Math.max(0, one.from - before);
    before = one.to;
    const parts = partsOf(one);
    return {
      ...spanOf(one),
      turn: one.turn,
      failures: one.turn.apiErrors + one.turn.calls.filter(({ status }) => isFailure(status)).length,
      parts: parts.map((part) => ({ ...spanOf(part), waiting: part.waiting })),
      spent: sumParts(parts),
      pauseMs,
    };
  });
  const calls = timed
    .flatMap(({ turn }) => turn.calls.flatMap((call) => timeCall(call, turn.index) ?? []))
    .sort((a, b) => a.from - b.from);
  const callLane = laneGiver(MAX_LANES);
  const agentLane = laneGiver(MAX_AGENT_LANES);
  return {
    scale,
    turns: shown,
    calls: calls.map((one) => ({ ...spanOf(one), call: one.call, turn: one.turn, lane: callLane.give(one) })),
    callLanes: callLane.used(),
    agents: worked
      .sort((a, b) => a.from - b.from)
      .map((one) => ({
        ...spanOf(one),
        agent: one.agent,
        lane: agentLane.give(one),
        calls: one.agent.calls.flatMap((call) => {
          const timedCall = timeCall(call, 0);
          return timedCall ? [{ ...spanOf(timedCall), call }] : [];
        }),
      })),
    agentLanes: agentLane.used(),
  };
}

interface Interval {
  readonly from: number; // ms since the epoch
  readonly to: number;
}

function timeTurn(turn: OutlineTurn): (Interval & { readonly turn: OutlineTurn }) | undefined {
  const [from, to] = [Date.parse(turn.startedAt ?? ""), Date.parse(turn.endedAt ?? "")];
  return Number.isNaN(from) || Number.isNaN(to) ? undefined : { turn, from, to: Math.max(from, to) };
}

function timeAgent(agent: AgentSpan): (Interval & { readonly agent: AgentSpan }) | undefined {
  if (agent.startedAt === null || agent.endedAt === null) return undefined;
  return { agent, from: agent.startedAt, to: Math.max(agent.startedAt, agent.endedAt) };
}

function timeCall(call: OutlineCall, turn: number): (Interval & Pick<CallSpan, "call" | "turn">) | undefined {
  if (call.startedAt === null) return undefined;
  return { call, turn, from: call.startedAt, to: Math.max(call.startedAt, call.endedAt ?? call.startedAt) };
}

type Part = Interval & { readonly waiting: Waiting };

/** Where calls overlap, a question to the person counts most; where there is none, the model was at work. */
function partsOf({ turn, from, to }: Interval & { readonly turn: OutlineTurn }): Part[] {
  const clip = (one: Interval) => ({ from: Math.max(from, one.from), to: Math.min(to, one.to) });
  const calls = turn.calls
    .flatMap((call) => timeCall(call, turn.index) ?? [])
    .map((one) => ({ ...clip(one), waiting: ASKING.has(one.call.name) ? ("person" as const) : ("tool" as const) }))
    .filter((one) => one.to > one.from)
    .sort((a, b) => a.from - b.from);
  const parts: Part[] = [];
  let at = from;
  for (const call of calls) {
    const last = parts.at(-1);
    if (last && call.from <= at && last.waiting !== "model") {
      const waiting = last.waiting === "person" || call.waiting === "person" ? "person" : "tool";
      at = Math.max(at, call.to);
      parts[parts.length - 1] = { from: last.from, to: at, waiting };
      continue;
    }
    if (call.from > at) parts.push({ from: at, to: call.from, waiting: "model" });
    parts.push({ ...call, from: Math.max(at, call.from) });
    at = Math.max(at, call.to);
  }
  if (to > at) parts.push({ from: at, to, waiting: "model" });
  return parts;
}

function sumParts(parts: readonly Part[]): Record<Waiting, number> {
  const spent = { model: 0, tool: 0, person: 0 };
  for (const { waiting, from, to } of parts) spent[waiting] += to - from;
  return spent;
}

/** Puts each span into the first lane that is free when it begins; when none is, into the last. */
function laneGiver(most: number) {
  const ends: number[] = [];
  return {
    give({ from, to }: Interval): number {
      const free = ends.findIndex((end) => end <= from);
      const lane = free >= 0 ? free : Math.min(ends.length, most - 1);
      ends[lane] = Math.max(ends[lane] ?? 0, to);
      return lane;
    },
    used: () => ends.length,
  };
}
