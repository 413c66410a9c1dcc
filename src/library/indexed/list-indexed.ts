import type { PriceTable } from "../../session/cost.js";
import { costOfSpend, type ModelSpend } from "../../session/spent-by-model.js";
import type { Usage } from "../../session/usage.js";
import type { Database } from "../../store/sqlite.js";
import { type Knowledge, knownFacts } from "../known-facts.js";
import { byLatestActivity, type SessionSummary } from "../session-summary.js";
import { isBelow } from "./scope.js";

/** The columns of a session, in this order. */
type SessionRow = readonly [
  path: string,
  sessionId: string,
  size: number,
  project: string | null,
  title: string,
  started: string | null,
  ended: string | null,
  turns: number,
  toolCalls: number,
  toolErrors: number,
  apiErrors: number,
  models: readonly string[],
  tools: readonly string[],
  gitBranch: string | null,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite5m: number,
  cacheWrite1h: number,
  webSearches: number,
  webFetches: number,
  spent: readonly ModelSpend[],
  subagents: number | null,
  archive: string | null,
];

/** One text for all: reading ten thousand sessions row by row takes several times as long. */
const SELECT_SESSIONS = `
  SELECT group_concat(row) AS rows FROM (
    SELECT json_array(f.path, f.session_id, f.size, s.project, s.title, s.started, s.ended, s.turns, s.tool_calls,
      s.tool_errors, s.api_errors, json(s.models), json(s.tools), s.git_branch, s.input, s.output, s.cache_read,
      s.cache_write_5m, s.cache_write_1h, s.web_searches, s.web_fetches, json(s.spent), a.subagents, f.archive) AS row
    FROM sessions s JOIN files f ON f.id = s.file
    LEFT JOIN (SELECT owner, count(*) AS subagents FROM files WHERE owner IS NOT NULL GROUP BY owner) a
      ON a.owner = f.path
    ORDER BY s.ended DESC, f.session_id, f.path)`;

/** All sessions of the roots from the index, latest activity first. */
export function listIndexed(db: Database, roots: readonly string[], options: ListOptions = {}): SessionSummary[] {
  const rows = db.prepare<{ rows: string | null }>(SELECT_SESSIONS).get()?.rows ?? "";
  return (JSON.parse(`[${rows}]`) as SessionRow[])
    .filter(([path]) => isBelow(path, roots))
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
  const [path, id, sizeBytes, project, title, startedAt, endedAt, turns, toolCalls, toolErrors, apiErrors] = row;
  const [models, tools, gitBranch] = [row[11], row[12], row[13]];
  const facts = knownFacts(id, options, { source: sourceOf(path, options), archived: row[23] !== null });
  return {
    id,
    path,
    project,
    title: facts.userTitle ?? title,
    startedAt,
    endedAt,
    turns,
    toolCalls,
    models,
    usage: usageOf(row),
    costUsd: costOfSpend(row[21], options.prices),
    sizeBytes,
    subagents: row[22] ?? 0,
    gitBranch,
    toolErrors,
    apiErrors,
    tools,
    userTitle: facts.userTitle,
    tags: facts.tags,
    favourite: facts.favourite,
    note: facts.note,
    source: facts.source,
    archived: facts.archived,
  };
}

function usageOf(row: SessionRow): Usage {
  return {
    input: row[14],
    output: row[15],
    cacheRead: row[16],
    cacheWrite5m: row[17],
    cacheWrite1h: row[18],
    webSearches: row[19],
    webFetches: row[20],
  };
}

export function sourceOf(path: string, { sources = new Map() }: Knowledge): string | null {
  return [...sources].find(([root]) => isBelow(path, [root]))?.[1] ?? null;
}
