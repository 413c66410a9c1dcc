import type { TextKind } from "../../session/search-texts.js";
import type { Snippet } from "./snippet.js";

/** A text that matches a query. */
export interface SearchHit {
  readonly sessionId: string;
  readonly path: string;
  readonly project: string | null;
  readonly title: string;
  /** Null outside the active branch, and before the first prompt. */
  readonly turn: number | null;
  readonly line: number;
  readonly kind: TextKind;
  readonly tool: string | null;
  readonly toolUseId: string | null;
  readonly timestamp: string | null;
  readonly snippet: string;
  /** First line of the turn's prompt. */
  readonly prompt: string | null;
  /** Set for texts of a sub-agent. */
  readonly agentId: string | null;
  /** Places of the matches in the snippet. */
  readonly marks: Snippet["marks"];
}

/** A session with matches, and the best of them. */
export interface FoundInSession {
  readonly sessionId: string;
  readonly path: string;
  readonly project: string | null;
  readonly title: string;
  readonly totalHits: number;
  /** When the last text that matches was written; for a title, the session's latest activity. */
  readonly latest: string | null;
  readonly hits: readonly SearchHit[];
}

export interface SearchAnswer {
  /** Best first. */
  readonly sessions: readonly FoundInSession[];
  /** Those of all these sessions, in their order. */
  readonly hits: readonly SearchHit[];
  readonly totalSessions: number;
  readonly totalHits: number;
  /** False: not all files were read; there may be more sessions and hits. */
  readonly exact: boolean;
  /** There are more hits than these. */
  readonly truncated: boolean;
}

/** The values of `--in` and the kinds of text they select. */
export const SEARCH_PLACES: Readonly<Record<string, readonly TextKind[]>> = {
  prompts: ["prompt"],
  answers: ["answer"],
  thinking: ["thinking"],
  commands: ["command"],
  tools: ["toolInput", "command"],
  results: ["toolOutput"],
  titles: ["title"],
  files: ["file"],
};
