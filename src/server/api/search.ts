import type { TextKind } from "../../session/search-texts.js";
import type { IndexState } from "./start.js";

/** `GET /api/search?q=`: sessions with their best hits, best first. */
export interface SearchAnswerGroups {
  readonly groups: readonly SearchGroup[];
  readonly totalSessions: number;
  readonly totalHits: number;
  /** False: not all files were read; there may be more. */
  readonly exact: boolean;
  /** There are more hits than these. */
  readonly truncated: boolean;
  /** The query without the typed filters. */
  readonly text: string;
  /** The filters in the query, such as `tool:Bash`. */
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
  readonly totalHits: number;
  readonly latest: string | null;
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
  /** The matches, as offsets in the snippet. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}
