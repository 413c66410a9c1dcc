import type { SessionSummary } from "../../library/load/session-summary.js";
import type { IndexState } from "./start.js";

/** `GET /api/sessions`. Titles and notes are masked, as in every answer except that of `reveal`. */
export interface SessionsAnswer {
  readonly sessions: readonly ListedSession[];
  /** Number of sessions that match the filters. */
  readonly total: number;
  readonly offset: number;
  /** Number of sessions without filters. */
  readonly found: number;
  readonly index: IndexState;
}

export interface ListedSession extends SessionSummary {
  /** A process of Claude Code works on it, or it was written to in the last minutes. */
  readonly live: boolean;
}

/** Sort order: latest, largest or alphabetically first. */
export type SessionOrder =
  | "activity"
  | "started"
  | "title"
  | "project"
  | "turns"
  | "tools"
  | "errors"
  | "tokens"
  | "cost"
  | "size";

/** `GET /api/facets`: the values that filters offer, most used first. */
export interface FacetsAnswer {
  readonly projects: readonly Facet[];
  readonly models: readonly Facet[];
  readonly tools: readonly Facet[];
  readonly gitBranches: readonly Facet[];
  readonly tags: readonly Facet[];
  readonly sources: readonly Facet[];
}

export interface Facet {
  readonly name: string;
  readonly sessions: number;
  readonly lastAt: string | null;
}
