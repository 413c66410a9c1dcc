import { costOfSpend, type PriceTable } from "../../session/messages/cost.js";
import { sumUsage } from "../../session/messages/usage.js";
import type { Database } from "../../store/sqlite.js";
import { knownFacts, type UserData } from "../found-session.js";
import type { LoadOptions } from "../load/load-session.js";
import { byLatestActivity, matchesFilter, type SessionFilter, type SessionSummary } from "../load/session-summary.js";
import { belowRoots, boundsOf, countFilesBelow, isBelow } from "../sources/below-roots.js";
import type { SessionList } from "../sources/list-sessions.js";
import type { Index } from "./open-index.js";
import { type SummaryCells, unpackSpent } from "./summary-cells.js";

export interface LibraryList extends SessionList {
  /** Whether the session's own title has to be masked before it is shown. */
  mayHoldSecret(session: SessionSummary): boolean;
}

/** All sessions of the roots, from the index, or by reading their files where there is no index. */
export async function listLibrary(
  index: Index | undefined,
  sync: Pick<SessionList, "withoutTranscript" | "problems"> | undefined,
  roots: readonly string[],
  filter: SessionFilter = {},
  options: LoadOptions = {},
): Promise<LibraryList> {
  if (!index) {
    const { listSessions } = await import("../sources/list-sessions.js");
    const list = listSessions(roots, filter, options);
    return { ...list, mayHoldSecret: () => true };
  }
  const { sessions, secretTitles } = listFromIndex(index.db, roots, options, filter);
  return {
    sessions,
    mayHoldSecret: (session) => secretTitles.has(session),
    found: countSessionFiles(index.db, roots),
    withoutTranscript: sync?.withoutTranscript ?? 0,
    problems: sync?.problems ?? [],
  };
}

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

/** Returned as one JSON text: reading ten thousand sessions row by row takes several times as long. */
const selectSessions = (roots: readonly string[], order: string) => `
  SELECT group_concat(cells) AS rows FROM (
    SELECT json_array(f.path, f.session_id, f.size, f.archive, s.ended, s.project, s.title, s.has_secret)
      || ',' || s.summary AS cells
    FROM sessions s CROSS JOIN files f ON f.id = s.file WHERE ${belowRoots(roots, "f.path")} ${order})`;

interface IndexedSessions {
  /** Latest activity first. */
  readonly sessions: readonly SessionSummary[];
  /** Those whose own title contains a secret. */
  readonly secretTitles: ReadonlySet<SessionSummary>;
}

export function listFromIndex(
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

/** Two entries per session; with a limit, only the latest sessions. */
function readCells(db: Database, roots: readonly string[], limit: number | undefined): (FileCells | SummaryCells)[] {
  const order = limit === undefined ? "" : "ORDER BY s.ended DESC, f.session_id, f.path LIMIT ?";
  const select = db.prepare<{ rows: string | null }>(selectSessions(roots, order));
  const rows = select.get(...boundsOf(roots), ...(limit === undefined ? [] : [limit]))?.rows;
  return JSON.parse(`[${rows ?? ""}]`) as (FileCells | SummaryCells)[];
}

/** Including those that could not be read. */
function countSessionFiles(db: Database, roots: readonly string[]): number {
  return countFilesBelow(db, roots, "agent_id IS NULL");
}

interface ListOptions extends UserData {
  readonly prices?: PriceTable;
}

function countSubagents(db: Database): Map<string, number> {
  const sql = "SELECT owner, count(*) AS count FROM files WHERE owner IS NOT NULL GROUP BY owner";
  const rows = db.prepare<{ owner: string; count: number }>(sql).all();
  return new Map(rows.map(({ owner, count }) => [owner, count]));
}

/** Cells are read by index: destructuring them takes longer than everything else here. */
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

export function sourceOf(path: string, { sources }: UserData): string | null {
  for (const [root, name] of sources ?? []) if (isBelow(path, [root])) return name;
  return null;
}
