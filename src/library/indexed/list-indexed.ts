import type { PriceTable } from "../../session/cost.js";
import { costOfSpend, type ModelSpend } from "../../session/spent-by-model.js";
import type { Database } from "../../store/sqlite.js";
import { type Knowledge, knownFacts } from "../known-facts.js";
import { byLatestActivity, type SessionSummary } from "../session-summary.js";
import { isBelow } from "./scope.js";

interface SessionRow {
  readonly path: string;
  readonly session_id: string;
  readonly size: number;
  readonly archive: string | null;
  readonly project: string | null;
  readonly title: string;
  readonly started: string | null;
  readonly ended: string | null;
  readonly turns: number;
  readonly tool_calls: number;
  readonly tool_errors: number;
  readonly api_errors: number;
  readonly models: string;
  readonly tools: string;
  readonly git_branch: string | null;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write_5m: number;
  readonly cache_write_1h: number;
  readonly web_searches: number;
  readonly web_fetches: number;
  readonly spent: string;
  readonly subagents: number | null;
}

const SELECT_SESSIONS = `
  SELECT f.path, f.session_id, f.size, f.archive, s.project, s.title, s.started, s.ended, s.turns, s.tool_calls,
    s.tool_errors, s.api_errors, s.models, s.tools, s.git_branch, s.input, s.output, s.cache_read, s.cache_write_5m,
    s.cache_write_1h, s.web_searches, s.web_fetches, s.spent, a.subagents
  FROM sessions s JOIN files f ON f.id = s.file
  LEFT JOIN (SELECT owner, count(*) AS subagents FROM files WHERE owner IS NOT NULL GROUP BY owner) a ON a.owner = f.path
  ORDER BY s.ended DESC, f.session_id, f.path`;

/** All sessions of the roots from the index, latest activity first. */
export function listIndexed(db: Database, roots: readonly string[], options: ListOptions = {}): SessionSummary[] {
  const rows = db.prepare<SessionRow>(SELECT_SESSIONS).all();
  return rows
    .filter(({ path }) => isBelow(path, roots))
    .map((row) => toSummary(row, options))
    .sort(byLatestActivity);
}

/** Those too that could not be read. */
export function countSessionFiles(db: Database, roots: readonly string[]): number {
  const rows = db.prepare<{ path: string }>("SELECT path FROM files WHERE agent_id IS NULL").all();
  return rows.filter(({ path }) => isBelow(path, roots)).length;
}

interface ListOptions extends Knowledge {
  readonly prices?: PriceTable;
}

function toSummary(row: SessionRow, options: ListOptions): SessionSummary {
  const facts = knownFacts(row.session_id, options, {
    source: sourceOf(row.path, options),
    archived: row.archive !== null,
  });
  return {
    id: row.session_id,
    path: row.path,
    project: row.project,
    title: facts.userTitle ?? row.title,
    startedAt: row.started,
    endedAt: row.ended,
    turns: row.turns,
    toolCalls: row.tool_calls,
    models: JSON.parse(row.models) as string[],
    usage: {
      input: row.input,
      output: row.output,
      cacheRead: row.cache_read,
      cacheWrite5m: row.cache_write_5m,
      cacheWrite1h: row.cache_write_1h,
      webSearches: row.web_searches,
      webFetches: row.web_fetches,
    },
    costUsd: costOfSpend(JSON.parse(row.spent) as ModelSpend[], options.prices),
    sizeBytes: row.size,
    subagents: row.subagents ?? 0,
    gitBranch: row.git_branch,
    toolErrors: row.tool_errors,
    apiErrors: row.api_errors,
    tools: JSON.parse(row.tools) as string[],
    userTitle: facts.userTitle,
    tags: facts.tags,
    favourite: facts.favourite,
    note: facts.note,
    source: facts.source,
    archived: facts.archived,
  };
}

export function sourceOf(path: string, { sources = new Map() }: Knowledge): string | null {
  return [...sources].find(([root]) => isBelow(path, [root]))?.[1] ?? null;
}
