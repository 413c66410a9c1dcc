import type { Usage } from "../../session/messages/usage.js";
import type { ChatMessage, Content } from "./conversation.js";

/**
 * `followUp`: a message that came while the model worked. `wait`: for a person. `lostResult`: the result of a call that the
 * file does not hold.
 */
export type ObservationKind =
  | "turn"
  | "agent"
  | "generation"
  | "tool"
  | "error"
  | "followUp"
  | "compaction"
  | "hook"
  | "wait"
  | "lostResult";

/** A future span: what happened, before it gets the names of a vocabulary. */
export interface Observation {
  readonly kind: ObservationKind;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly input: Content | undefined; // undefined: has none
  readonly output: Content | undefined;
  readonly level: "DEFAULT" | "WARNING" | "ERROR";
  readonly statusMessage: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly events: readonly ObservationEvent[];
  /** Of a generation alone. */
  readonly generation: Generation | null;
  /** Of a tool alone. */
  readonly effects: Effects | null;
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
  /** The same by kind of token. */
  readonly costs: Costs | null;
  readonly speed: string | null;
  /** Null: of the main conversation. */
  readonly agentType: string | null;
  /** What the model had read and written before `input`; only where the whole conversation was asked for. */
  readonly earlier: readonly ChatMessage[];
}

/** USD, by kind of token. */
export type Costs = Readonly<Record<"input" | "output" | "cacheRead" | "cacheWrite5m" | "cacheWrite1h", number>>;

/** What a tool call changed, and who let it. */
export interface Effects {
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly commits: number;
  readonly pullRequests: number;
  /** Of a file that a tool for files wrote; null for other tools. */
  readonly fileExtension: string | null;
  /** Whether the call was allowed, and by whom; null where that was not recorded. */
  readonly decision: { readonly kind: "accept" | "reject"; readonly source: string } | null;
}

/** A request that failed and was sent again. */
export interface ObservationEvent {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Text of the API; omitted if content is. */
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

/** What most observations have not. */
export const PLAIN = {
  input: undefined,
  output: undefined,
  level: "DEFAULT",
  statusMessage: null,
  metadata: {},
  events: [],
  generation: null,
  effects: null,
} as const;

/** All observations of one turn, parents first, and what they have in common. */
export interface Trace {
  readonly traceId: string;
  /** The observation that stands for all of it. */
  readonly rootSpanId: string;
  readonly name: string;
  /** Its ordinal in the file; null for a sub-agent that no call launched. */
  readonly turnNumber: number | null;
  /** The session that made the requests, where this one is a copy. */
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
