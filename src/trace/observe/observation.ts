import type { Usage } from "../../session/messages/usage.js";

/** One span to be: what happened, before any backend's names are given to it. */
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
  /** Null where the records tell no usage. */
  readonly usage: Usage | null;
  /** False: the output tokens are a placeholder, so they are not told, and the cost is the least that it was. */
  readonly outputKnown: boolean;
  readonly costUsd: number | null;
  readonly speed: string | null;
}

export interface ObservationEvent {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Words of a person, the model or a tool; left out where content is. */
  readonly content: string | null;
}

/** An observation whose times are not settled yet: null where no record tells them. */
export interface Draft extends Omit<Observation, "startMs" | "endMs" | "events"> {
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly events: readonly DraftEvent[];
}

export interface DraftEvent extends Omit<ObservationEvent, "atMs"> {
  readonly atMs: number | null;
}

/** All observations of one turn, parents first, and what every one of them belongs to. */
export interface Trace {
  readonly traceId: string;
  readonly name: string;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly tags: readonly string[];
  readonly observations: readonly Observation[];
}

/** Milliseconds since the epoch; null where there is no time, or none that can be read. */
export function toMs(time: string | null | undefined): number | null {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? null : ms;
}

/**
 * Gives a time to every draft. What no record tells is taken from the nearest neighbour, and marked: the parent's start or
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

/** For each draft the first time that is told from there on. */
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
  // Clocks go back: a span that ends before it starts ends at once.
  const end = Math.max(start, endMs ?? start);
  const isEstimated = startMs === null || endMs === null || end !== endMs;
  const metadata = isEstimated ? { ...draft.metadata, timing_estimated: true } : draft.metadata;
  const events = draft.events.map((event) => ({ ...event, atMs: event.atMs ?? end }));
  return { ...draft, metadata, events, startMs: start, endMs: end };
}
