import type { TextKind } from "../../session/search-texts.js";
import type { IndexState } from "./start.js";

/** `GET /api/search?q=`: hits by session, the best first. */
export interface SearchAnswerGroups {
  readonly groups: readonly SearchGroup[];
  readonly truncated: boolean;
  /** What was looked for, once the typed filters are taken out. */
  readonly text: string;
  /** The filters that were typed, as chips. */
  readonly typed: readonly TypedFilter[];
  readonly index: IndexState;
}

export interface TypedFilter {
  readonly name: string;
  readonly value: string;
}

export interface SearchGroup {
  readonly sessionId: string;
  readonly title: string;
  readonly project: string | null;
  readonly hits: readonly ServedHit[];
}

export interface ServedHit {
  readonly turn: number | null;
  readonly line: number;
  readonly kind: TextKind;
  readonly tool: string | null;
  readonly toolUseId: string | null;
  readonly agentId: string | null;
  readonly timestamp: string | null;
  readonly prompt: string | null;
  readonly snippet: string;
  /** Where in the snippet the matches are: start and end. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}
