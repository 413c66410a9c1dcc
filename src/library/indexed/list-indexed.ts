import type { PriceTable } from "../../session/cost.js";
import { costOfSpend } from "../../session/spent-by-model.js";
import { sumUsage } from "../../session/usage.js";
import type { Database } from "../../store/sqlite.js";
import { type Knowledge, knownFacts } from "../known-facts.js";
import { matchesFilter, type SessionFilter } from "../session-filter.js";
import { byLatestActivity, type SessionSummary } from "../session-summary.js";
import { below, bordersOf, countFilesBelow, isBelow } from "./scope.js";
import { type SummaryCells, unpackSpent } from "./summary-text.js";

type FileCells = readonly [
  path: string,
  sessionId: string,
  size: number,
  archive: string | null,
  endedAt: string | null,
  project: string | null,
  title: string,
  hasSecret: number,
];

/** One text for all: reading ten thousand sessions row by row takes several times as long. */
const selectSessions = (roots: readonly string[], order: string) => `
  SELECT group_concat(cells) AS rows FROM (
    SELECT json_array(f.path, f.session_id, f.size, f.archive, s.ended, s.project, s.title, s.has_secret)
      || ',' || s.summary AS cells
    FROM sessions s CROSS JOIN files f ON f.id = s.file WHERE ${below(roots, "f.path")} ${order})`;

export interface IndexedSessions {
  /** Latest activity first. */
  readonly sessions: readonly SessionSummary[];
  /** Those whose title holds something that is not to be shown. */
  readonly secretTitles: ReadonlySet<SessionSummary>;
}

/** The sessions of the roots that pass the filter, from the index. */
export function listIndexed(
  db: Database,
  roots: readonly string[],
  options: ListOptions = {},
  { limit, ...filter }: SessionFilter = {},
): IndexedSessions {
  const isFiltered = Object.keys(filter).length > 0;
  const cells = readCells(db, roots, isFiltered ? undefined : limit);
  const subagents = countSubagents(db);
  const sessions: SessionSummary[] = [];
  const secretTitles = new Set<SessionSummary>();
  for (let at = 0; at < cells.length; at += 2) {
    const file = cells[at] as FileCells;
    const session = toSummary(file, cells[at + 1] as SummaryCells, subagents.get(file[0]) ?? 0, options);
    if (isFiltered && !matchesFilter(session, filter)) continue;
    sessions.push(session);
    if (file[7] === 1) secretTitles.add(session);
  }
  return { sessions: sessions.sort(byLatestActivity).slice(0, limit), secretTitles };
}

/** Two for each session; with a limit, of the latest alone. */
function readCells(db: Database, roots: readonly string[], limit: number | undefined): (FileCells | SummaryCells)[] {
  const order = limit === undefined ? "" : "ORDER BY s.ended DESC, f.session_id, f.path LIMIT ?";
  const select = db.prepare<{ rows: string | null }>(selectSessions(roots, order));
  const rows = select.get(...bordersOf(roots), ...(limit === undefined ? [] : [limit]))?.rows;
  return JSON.parse(`[${rows ?? ""}]`) as (FileCells | SummaryCells)[];
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

/** By number: taking a list apart by names costs more than all else here. */
function toSummary(file: FileCells, cells: SummaryCells, subagents: number, options: ListOptions): SessionSummary {
  const [path, id] = [file[0], file[1]];
  const facts = knownFacts(id, options, { source: sourceOf(path, options), archived: file[3] !== null });
  const spent = cells[8].map(unpackSpent);
  return {
    id,
    path,
    project: file[5],
    title: facts.userTitle ?? file[6],
    startedAt: cells[0],
    endedAt: file[4],
    turns: cells[1],
    toolCalls: cells[2],
    models: cells[5],
    usage: sumUsage(spent.map(({ usage }) => usage)),
    costUsd: costOfSpend(spent, options.prices),
    sizeBytes: file[2],
    subagents,
    gitBranch: cells[7],
    toolErrors: cells[3],
    apiErrors: cells[4],
    tools: cells[6],
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
