import { matchesFilter, type SessionFilter, type SessionSummary } from "../../library/load/session-summary.js";
import { totalTokens } from "../../render/format-values.js";
import type { Facet, FacetsAnswer, SessionOrder } from "../api/list.js";

export interface ListRequest {
  readonly filter: SessionFilter;
  /** All of them must occur in the title, project or id. */
  readonly words: string;
  readonly order: SessionOrder;
  readonly isReversed: boolean;
}

type Compare = (a: SessionSummary, b: SessionSummary) => number;

/** Latest, largest or alphabetically first; ties keep the order of activity. */
const ORDERS: Readonly<Record<SessionOrder, Compare>> = {
  activity: () => 0,
  started: (a, b) => compareText(b.startedAt ?? "", a.startedAt ?? ""),
  title: (a, b) => a.title.localeCompare(b.title),
  project: (a, b) => (a.project ?? "").localeCompare(b.project ?? ""),
  turns: (a, b) => b.turns - a.turns,
  tools: (a, b) => b.toolCalls - a.toolCalls,
  errors: (a, b) => b.failedToolCalls + b.apiErrors - (a.failedToolCalls + a.apiErrors),
  tokens: (a, b) => totalTokens(b.totalUsage) - totalTokens(a.totalUsage),
  cost: (a, b) => (b.totalCostUsd ?? -1) - (a.totalCostUsd ?? -1),
  size: (a, b) => b.sizeBytes - a.sizeBytes,
};

export const SESSION_ORDERS = Object.keys(ORDERS) as SessionOrder[];

/** Filters and sorts the sessions of one list request. */
export function chooseSessions(sessions: readonly SessionSummary[], request: ListRequest): SessionSummary[] {
  const words = request.words.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = sessions.filter((session) => {
    const text = words.length === 0 ? "" : `${session.title}\n${session.project ?? ""}\n${session.id}`.toLowerCase();
    return words.every((word) => text.includes(word)) && matchesFilter(session, request.filter);
  });
  if (request.order !== "activity") chosen.sort(ORDERS[request.order]);
  return request.isReversed ? chosen.reverse() : chosen;
}

export function viewFacets(sessions: readonly SessionSummary[], mask: (name: string) => string): FacetsAnswer {
  const facet = (namesOf: (session: SessionSummary) => readonly (string | null)[]) =>
    countNames(sessions, namesOf).map((counted) => ({ ...counted, name: mask(counted.name) }));
  return {
    projects: facet(({ project }) => [project]),
    models: facet(({ models }) => models),
    tools: facet(({ tools }) => tools),
    gitBranches: facet(({ gitBranch }) => [gitBranch]),
    tags: facet(({ tags }) => tags),
    sources: facet(({ source }) => [source]),
  };
}

/** Sessions are sorted by activity, so the first one with a name gives its last use. */
function countNames(
  sessions: readonly SessionSummary[],
  namesOf: (session: SessionSummary) => readonly (string | null)[],
): Facet[] {
  const facets = new Map<string, { count: number; readonly lastAt: string | null }>();
  for (const session of sessions) {
    for (const name of namesOf(session)) {
      if (name === null) continue;
      const known = facets.get(name);
      if (known) known.count += 1;
      else facets.set(name, { count: 1, lastAt: session.endedAt });
    }
  }
  return [...facets]
    .map(([name, { count, lastAt }]) => ({ name, sessions: count, lastAt }))
    .sort((a, b) => b.sessions - a.sessions || a.name.localeCompare(b.name));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
