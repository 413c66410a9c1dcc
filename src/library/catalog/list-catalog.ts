import { listAt } from "../../collections.js";
import type { Database } from "../../store/sqlite.js";
import type { StartThread } from "../entries/read-entries.js";
import {
  type CountCells,
  type LinkCells,
  type SpentCells,
  type SummaryCells,
  unpackCounts,
  unpackLinks,
  unpackSpent,
} from "../entries/summary-cells.js";
import type { LoadOptions } from "../load/load-session.js";
import { byLatestActivity, matchesFilter, type SessionFilter, type SessionSummary } from "../load/session-summary.js";
import { belowRoots, boundsOf, countFilesBelow } from "../sources/below-roots.js";
import { findRipgrep } from "../sources/ripgrep.js";
import { ownerOf } from "../sources/walk-library.js";
import { type AgentFigures, readCopies } from "./copies.js";
import type { LibraryChanges } from "./library-changes.js";
import type { SessionList } from "./list-sessions.js";
import type { Index } from "./open-index.js";
import { type FileCells, type ListOptions, toSummary } from "./session-cells.js";

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
  behind?: LibraryChanges,
  startThread?: StartThread,
): Promise<LibraryList> {
  if (!index || behind) {
    const { isWhole, listAllOnThreads, listUnknown } = await import("./list-sessions.js");
    const known = index && behind ? currentSessions(index.db, roots, options, behind) : undefined;
    const list =
      startThread && isWhole(filter) && !known?.size
        ? await listAllOnThreads(roots, filter, options, startThread)
        : listUnknown(roots, known, filter, options, findRipgrep());
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

/** The sessions by path of which nothing changed since they were catalogued, neither in their files nor in their sub-agents'. */
function currentSessions(
  db: Database,
  roots: readonly string[],
  options: ListOptions,
  { stale }: LibraryChanges,
): ReadonlyMap<string, SessionSummary> {
  const known = new Map(listFromIndex(db, roots, options).sessions.map((session) => [session.path, session]));
  for (const file of stale) known.delete(ownerOf(file, []).path ?? file.path);
  return known;
}

/** Returned as one JSON text: reading ten thousand sessions row by row takes several times as long. */
const selectSessions = (roots: readonly string[], rest: string) => `
  SELECT group_concat(cells) AS rows FROM (
    SELECT json_array(f.path, f.session_id, f.size, f.archive, s.ended, s.project, s.title, s.has_secret)
      || ',' || s.summary AS cells
    FROM sessions s CROSS JOIN files f ON f.id = s.file WHERE ${belowRoots(roots, "f.path")} ${rest})`;

interface IndexedSessions {
  /** Latest activity first. */
  readonly sessions: readonly SessionSummary[];
  /** Those whose own title or another name contains a secret. */
  readonly secretTitles: ReadonlySet<SessionSummary>;
}

export function listFromIndex(
  db: Database,
  roots: readonly string[],
  options: ListOptions = {},
  { limit, ...filter }: SessionFilter = {},
): IndexedSessions {
  const isFiltered = Object.keys(filter).length > 0;
  const isLimited = !isFiltered && limit !== undefined;
  const cells = isLimited ? readCells(db, roots, LATEST_FIRST, limit) : readCells(db, roots);
  const listed = cells.flatMap((file, at) => (at % 2 === 0 ? [(file as FileCells)[0]] : []));
  const subagentsOf = isLimited ? readSubagents(db, roots, listed) : readSubagents(db, roots);
  const copies = readCopies(db, roots);
  const sessions: SessionSummary[] = [];
  const secretTitles = new Set<SessionSummary>();
  for (let at = 0; at < cells.length; at += 2) {
    const file = cells[at] as FileCells;
    const session = toSummary(
      file,
      cells[at + 1] as SummaryCells,
      { subagents: subagentsOf(file[0]), copies },
      options,
    );
    if (isFiltered && !matchesFilter(session, filter)) continue;
    sessions.push(session);
    if (file[7] === 1) secretTitles.add(session);
  }
  return { sessions: sessions.sort(byLatestActivity).slice(0, limit), secretTitles };
}

/** One session by its path. */
export function readSummary(
  db: Database,
  roots: readonly string[],
  path: string,
  options: ListOptions = {},
): SessionSummary | undefined {
  const [file, summary] = readCells(db, roots, "AND f.path = ?", path);
  if (!file || !summary) return undefined;
  const others = { subagents: readSubagents(db, roots, [path])(path), copies: readCopies(db, roots) };
  return toSummary(file as FileCells, summary as SummaryCells, others, options);
}

const LATEST_FIRST = "ORDER BY s.ended DESC, f.session_id, f.path LIMIT ?";

/** Two entries per session; `rest` of the query takes `value`. */
function readCells(
  db: Database,
  roots: readonly string[],
  rest = "",
  ...value: (string | number)[]
): (FileCells | SummaryCells)[] {
  const rows = db.prepare<{ rows: string | null }>(selectSessions(roots, rest)).get(...boundsOf(roots), ...value)?.rows;
  return JSON.parse(`[${rows ?? ""}]`) as (FileCells | SummaryCells)[];
}

/** Including those that could not be read. */
function countSessionFiles(db: Database, roots: readonly string[]): number {
  return countFilesBelow(db, roots, "agent_id IS NULL");
}

const NO_SUBAGENTS: readonly AgentFigures[] = [];

/** Of these sessions, or of all. Read as one JSON text, as sessions are. */
function readSubagents(
  db: Database,
  roots: readonly string[],
  owners?: readonly string[],
): (session: string) => readonly AgentFigures[] {
  const owned = owners ? "f.owner IN (SELECT value FROM json_each(?))" : "f.owner IS NOT NULL";
  const sql = `SELECT group_concat(json_array(f.owner, f.path) || ',' || coalesce(a.spent, '[]') || ',' || coalesce(a.counts, '[]') || ',' || coalesce(a.links, '[[],[]]')) AS rows
    FROM files f LEFT JOIN agents a ON a.file = f.id WHERE ${owned} AND ${belowRoots(roots, "+f.path")}`;
  const params = [...(owners ? [JSON.stringify(owners)] : []), ...boundsOf(roots)];
  const rows = db.prepare<{ rows: string | null }>(sql).get(...params)?.rows;
  const cells = JSON.parse(`[${rows ?? ""}]`) as unknown[];
  const found = new Map<string, AgentFigures[]>();
  for (let at = 0; at < cells.length; at += 4) {
    const [owner, path] = cells[at] as readonly [string, string];
    const spent = (cells[at + 1] as SpentCells[]).map(unpackSpent);
    const counts = unpackCounts(cells[at + 2] as CountCells);
    listAt(found, owner).push({ path, spent, counts, links: unpackLinks(cells[at + 3] as LinkCells) });
  }
  return (session) => found.get(session) ?? NO_SUBAGENTS;
}
