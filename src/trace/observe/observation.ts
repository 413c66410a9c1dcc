import type { Usage } from "../../session/messages/usage.js";

/** A future span: what happened, before it gets the attribute names of a backend. */
export interface Observation {
  readonly kind: "turn" | "generation" | "tool" | "agent" | "error";
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly input: unknown; // undefined: has none
  readonly output: unknown;
  readonly level: "DEFAULT" | "WARNING" | "ERROR";
  readonly statusMessage: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly events: readonly ObservationEvent[];
  /** Of a generation alone. */
  readonly generation: Generation | null;
}

export interface Generation {
  readonly model: string | null;
  readonly responseId: string | null;
  readonly stopReason: string | null;
  /** Null if the records have no usage. */
  readonly usage: Usage | null;
  /** False: the output token count is a placeholder, so it is not sent, and the cost is a lower bound. */
  readonly outputKnown: boolean;
  readonly costUsd: number | null;
  readonly speed: string | null;
}

export interface ObservationEvent {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Text of the user, the model or a tool; omitted if content is. */
  readonly content: string | null;
}

/** An observation without final times; null if no record has them. */
export interface Draft extends Omit<Observation, "startMs" | "endMs" | "events"> {
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly events: readonly DraftEvent[];
}

export interface DraftEvent extends Omit<ObservationEvent, "atMs"> {
  readonly atMs: number | null;
}

/** All observations of one turn, parents first, and what they have in common. */
export interface Trace {
  readonly traceId: string;
  readonly name: string;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly tags: readonly string[];
  readonly observations: readonly Observation[];
}

/** A sub-agent that was sent; what it does later belongs to the same trace. */
export interface KnownAgent {
  readonly agentId: string;
  readonly size: number;
  readonly parentSpanId: string | null;
  readonly trace: Omit<Trace, "observations">;
}

/** Milliseconds since the epoch; null where there is no time, or none that can be read. */
export function toMs(time: string | null | undefined): number | null {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? null : ms;
}

/**
 * Gives every draft a time. A missing time is taken from the nearest neighbour and marked: the parent's start or
 * the end of what came before, else the beginning of what follows, else `fallbackMs`.
 */
export function fillTimes(drafts: readonly Draft[], fallbackMs: number): Observation[] {
  const firstKnown = firstTimesFrom(drafts);
  const bySpan = new Map<string, Observation>();
  let last: number | undefined;
  return drafts.map((draft, at) => {
    const near = last ?? bySpan.get(draft.parentSpanId ?? "")?.startMs ?? firstKnown[at] ?? fallbackMs;
    const observation = settle(draft, near);
    bySpan.set(draft.spanId, observation);
    last = draft.endMs ?? draft.startMs ?? last;
    return observation;
  });
}

/** For each draft, the first known time at or after it. */
function firstTimesFrom(drafts: readonly Draft[]): (number | undefined)[] {
  let next: number | undefined;
  return drafts
    .toReversed()
    .map(({ startMs, endMs }) => {
      next = startMs ?? endMs ?? next;
      return next;
    })
    .reverse();
}

function settle({ startMs, endMs, ...draft }: Draft, near: number): Observation {
  const start = startMs ?? endMs ?? near;
  // Clocks can go back: such a span gets a duration of zero.
  const end = Math.max(start, endMs ?? start);
  const isEstimated = startMs === null || endMs === null || end !== endMs;
  const metadata = isEstimated ? { ...draft.metadata, timing_estimated: true } : draft.metadata;
  const events = draft.events.map((event) => ({ ...event, atMs: event.atMs ?? end }));
  return { ...draft, metadata, events, startMs: start, endMs: end };
}
