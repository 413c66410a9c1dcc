import type { OutlineCall } from "./session.js";

/** `GET /api/sessions/:id/context`: what filled the window, turn by turn. */
export interface ContextAnswer {
  readonly points: readonly ContextPoint[];
  readonly agents: readonly AgentSpan[];
}

/** When a sub-agent worked, and at what. */
export interface AgentSpan {
  readonly agentId: string;
  readonly turn: number | null; // in which it was launched
  readonly name: string;
  readonly startedAt: number | null; // ms since the epoch
  readonly endedAt: number | null;
  readonly calls: readonly OutlineCall[];
}

/** Parts are estimates from the length of texts, brought to the recorded figure where there is one. */
export interface ContextPoint {
  readonly turn: number;
  readonly at: string | null;
  /** What the API counted at the end of the turn. */
  readonly recordedTokens: number | null;
  /** System prompt, tools and all else that no record holds. */
  readonly system: number;
  readonly prompts: number;
  readonly answers: number;
  readonly thinking: number; // of this turn alone: the API drops older ones
  readonly toolInputs: number;
  readonly toolResults: Readonly<Record<string, number>>;
  readonly summary: number; // of the compaction before
  /** Of the results: files that were read before in the same window. */
  readonly readAgain: number;
  readonly compaction: { readonly preTokens: number | null; readonly postTokens: number | null } | null;
}
