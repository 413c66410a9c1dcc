import type { Database } from "../../store/sqlite.js";
import { NO_MARKS } from "../../store/user-db.js";
import { ERROR_PATHS, TOOLS_PATH } from "../entries/summary-cells.js";
import type { UserData } from "../found-session.js";
import { isAmong, isOfProject, type SessionFilter } from "../load/session-summary.js";
import { belowRoots, boundsOf, sourceOf } from "../sources/below-roots.js";

/** The session that numbers belong to, in its own file or in one of its sub-agents'. */
export interface OwningSession {
  readonly path: string;
  readonly id: string;
  readonly project: string | null;
  readonly title: string;
}

export interface NumbersFilter extends SessionFilter {
  /** Only this session, by its path. */
  readonly session?: string;
}

export interface Scope {
  /** Every file below the roots, by its id. */
  readonly paths: ReadonlyMap<number, string>;
  /** Files whose session passes the filter. */
  readonly chosen: ReadonlyMap<number, OwningSession>;
  /** Paths of sessions whose title has to be masked before it is shown. */
  readonly titlesToMask: ReadonlySet<string>;
}

/** What a file and its session are called; null where it was not asked for. */
export type FileCells = readonly [
  file: number,
  path: string,
  owner: string | null,
  sessionId: string,
  project: string | null,
  title: string | null,
  hasSecret: number | null,
  errors: number | null,
  tools: readonly string[] | null,
];

/** Extracted only when a filter needs them: that is slow. */
const ERRORS = ERROR_PATHS.map((path) => `json_extract(s.summary, '${path}')`).join(" + ");
const TOOLS = `json_extract(s.summary, '${TOOLS_PATH}')`;

const selectFiles = (roots: readonly string[], { errors, tool }: NumbersFilter) => `
  SELECT json_group_array(json_array(f.id, f.path, f.owner, f.session_id, s.project, s.title, s.has_secret,
    ${errors ? ERRORS : "NULL"}, ${tool === undefined ? "NULL" : TOOLS})) AS rows
  FROM files f LEFT JOIN sessions s ON s.file = f.id WHERE ${belowRoots(roots, "+f.path")}`;

export function readScope(
  db: Database,
  roots: readonly string[],
  filter: NumbersFilter,
  userData: UserData = {},
): Scope {
  const select = db.prepare<{ rows: string }>(selectFiles(roots, filter));
  return chooseFiles(JSON.parse(select.get(...boundsOf(roots))?.rows ?? "[]") as FileCells[], filter, userData);
}

export function chooseFiles(rows: readonly FileCells[], filter: NumbersFilter, userData: UserData): Scope {
  const nameIfChosen = (row: FileCells) => (isChosen(row, filter, userData) ? toName(row, userData) : undefined);
  const sessions = new Map<string, OwningSession | undefined>();
  for (const row of rows) {
    const [path, owner] = [row[1], row[2]];
    if (owner === null || owner === path) sessions.set(path, nameIfChosen(row));
  }
  const paths = new Map<number, string>();
  const chosen = new Map<number, OwningSession>();
  const doubtfulTitles = new Set<string>();
  for (const row of rows) {
    const [file, path] = [row[0], row[1]];
    const sessionPath = row[2] ?? path;
    // The session's own file may be deleted; its sub-agents still count.
    if (!sessions.has(sessionPath)) sessions.set(sessionPath, nameIfChosen(row));
    const session = sessions.get(sessionPath);
    paths.set(file, path);
    if (session) chosen.set(file, session);
    if (row[6] === 1 || userData.marks?.has(row[3])) doubtfulTitles.add(sessionPath);
  }
  return { paths, chosen, titlesToMask: doubtfulTitles };
}

function toName(row: FileCells, { marks }: UserData): OwningSession {
  const id = row[3];
  return { path: row[2] ?? row[1], id, project: row[4], title: marks?.get(id)?.title ?? row[5] ?? id };
}

function isChosen(row: FileCells, filter: NumbersFilter, userData: UserData): boolean {
  return (
    (filter.session === undefined || (row[2] ?? row[1]) === filter.session) &&
    (filter.project === undefined || isOfProject(row[4], filter.project)) &&
    (!filter.errors || (row[7] ?? 0) > 0) &&
    (filter.tool === undefined || isAmong(filter.tool, row[8] ?? [])) &&
    isKnownAs(row, filter, userData)
  );
}

/** Filters on what the user added to a session. */
function isKnownAs(row: FileCells, filter: NumbersFilter, userData: UserData): boolean {
  const marks = userData.marks?.get(row[3]) ?? NO_MARKS;
  return (
    (filter.tags === undefined || filter.tags.every((tag) => isAmong(tag, marks.tags))) &&
    (!filter.favourites || marks.favourite) &&
    (filter.source === undefined || isAmong(filter.source, [sourceOf(row[1], userData) ?? []].flat()))
  );
}
