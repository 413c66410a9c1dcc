import type { Usage } from "../session/usage.js";

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
