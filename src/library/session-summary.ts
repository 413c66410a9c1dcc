import type { Usage } from "../session/usage.js";
import type { KnownFacts } from "./known-facts.js";
import type { LoadedSession } from "./load-session.js";

/** One line of a list of sessions. */
export interface SessionSummary extends KnownFacts {
  readonly id: string;
  readonly path: string;
  readonly project: string | null;
  readonly title: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly turns: number;
  readonly toolCalls: number;
  readonly models: readonly string[];
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly sizeBytes: number;
  readonly subagents: number;
  readonly gitBranch: string | null;
  readonly toolErrors: number;
  readonly apiErrors: number;
  readonly tools: readonly string[];
}

export function summarizeSession({ header, outline, sizeBytes }: LoadedSession, subagents: number): SessionSummary {
  const { totals, calls } = outline;
  return {
    id: header.id,
    path: header.path,
    project: header.project,
    title: header.title,
    startedAt: header.startedAt,
    endedAt: header.endedAt,
    turns: totals.turns,
    toolCalls: totals.toolCalls,
    models: header.models,
    usage: totals.usage,
    costUsd: totals.costUsd,
    sizeBytes,
    subagents,
    gitBranch: header.gitBranch,
    toolErrors: totals.toolErrors,
    apiErrors: totals.apiErrors,
    tools: [...new Set([...calls.values()].map(({ name }) => name))],
    userTitle: header.userTitle,
    tags: header.tags,
    favourite: header.favourite,
    note: header.note,
    source: header.source,
    archived: header.archived,
  };
}

type Activity = Pick<SessionSummary, "id" | "path" | "endedAt">;

export function byLatestActivity(a: Activity, b: Activity): number {
  return compare(b.endedAt ?? "", a.endedAt ?? "") || compare(a.id, b.id) || compare(a.path, b.path);
}

/** By code units: many times faster than by the rules of a language, which say nothing about times and ids. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
