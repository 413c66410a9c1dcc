import type { PriceTable } from "../../session/cost.js";
import { costOfSpend } from "../../session/spent-by-model.js";
import { sumUsage } from "../../session/usage.js";
import type { Database } from "../../store/sqlite.js";
import { type Knowledge, knownFacts } from "../known-facts.js";
import { byLatestActivity, type SessionSummary } from "../session-summary.js";
import { countFilesBelow, isBelow } from "./scope.js";
import { type SummaryCells, unpackSpent } from "./summary-text.js";

type FileCells = readonly [
  path: string,
  sessionId: string,
  size: number,
  archive: string | null,
  project: string | null,
  title: string,
  hasSecret: number,
];

/** One text for all: reading ten thousand sessions row by row takes several times as long. */
const SELECT_SESSIONS = `
  SELECT group_concat(
    json_array(f.path, f.session_id, f.size, f.archive, s.project, s.title, s.has_secret) || ',' || s.summary) AS rows
  FROM sessions s JOIN files f ON f.id = s.file`;

export interface IndexedSessions {
  /** Latest activity first. */
  readonly sessions: readonly SessionSummary[];
  /** Those whose title holds something that is not to be shown. */
  readonly secretTitles: ReadonlySet<SessionSummary>;
}

/** All sessions of the roots from the index. */
export function listIndexed(db: Database, roots: readonly string[], options: ListOptions = {}): IndexedSessions {
  const rows = db.prepare<{ rows: string | null }>(SELECT_SESSIONS).get()?.rows ?? "";
  const cells = JSON.parse(`[${rows}]`) as (FileCells | SummaryCells)[];
  const subagents = countSubagents(db);
  const sessions: SessionSummary[] = [];
  const secretTitles = new Set<SessionSummary>();
  for (let at = 0; at < cells.length; at += 2) {
    const file = cells[at] as FileCells;
    if (!isBelow(file[0], roots)) continue;
    const session = toSummary(file, cells[at + 1] as SummaryCells, subagents.get(file[0]) ?? 0, options);
    sessions.push(session);
    if (file[6] === 1) secretTitles.add(session);
  }
  return { sessions: sessions.sort(byLatestActivity), secretTitles };
}

/** Those too that could not be read. */
export function countSessionFiles(db: Database, roots: readonly string[]): number {
  return countFilesBelow(db, roots, "agent_id IS NULL");
}

interface ListOptions extends Knowledge {
  readonly prices?: PriceTable;
}

function countSubagents(db: Database): Map<string, number> {
  const sql = "SELECT owner, count(*) AS count FROM files WHERE owner IS NOT NULL GROUP BY owner";
  const rows = db.prepare<{ owner: string; count: number }>(sql).all();
  return new Map(rows.map(({ owner, count }) => [owner, count]));
}

function toSummary(
  [path, id, sizeBytes, archive, project, title]: FileCells,
  [startedAt, endedAt, turns, toolCalls, toolErrors, apiErrors, models, tools, gitBranch, packed]: SummaryCells,
  subagents: number,
  options: ListOptions,
): SessionSummary {
  const facts = knownFacts(id, options, { source: sourceOf(path, options), archived: archive !== null });
  const spent = packed.map(unpackSpent);
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
    usage: sumUsage(spent.map(({ usage }) => usage)),
    costUsd: costOfSpend(spent, options.prices),
    sizeBytes,
    subagents,
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

export function sourceOf(path: string, { sources }: Knowledge): string | null {
  for (const [root, name] of sources ?? []) if (isBelow(path, [root])) return name;
  return null;
}
