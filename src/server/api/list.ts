import type { SessionSummary } from "../../library/load/session-summary.js";
import type { IndexState } from "./start.js";

/** `GET /api/sessions`. Titles and notes are masked, as everything is that is not asked for by `reveal`. */
export interface SessionsAnswer {
  readonly sessions: readonly ListedSession[];
  /** How many match the filters. */
  readonly total: number;
  readonly offset: number;
  /** How many there are, whatever the filters say. */
  readonly found: number;
  readonly index: IndexState;
}

export interface ListedSession extends SessionSummary {
  /** It was written to a moment ago. */
  readonly live: boolean;
}

/** By what sessions are sorted: the latest, the most or the first of the alphabet first. */
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

/** `GET /api/facets`: what filters may choose among, the most used first. */
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
