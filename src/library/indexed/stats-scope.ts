import type { Database } from "../../store/sqlite.js";
import { type Knowledge, knownFacts } from "../known-facts.js";
import { isAmong, isOfProject, type SessionFilter } from "../session-filter.js";
import { sourceOf } from "./list-indexed.js";
import { isBelow } from "./scope.js";
import { ERROR_PATHS, TOOLS_PATH } from "./summary-text.js";

/** The session to which numbers belong, whether its own file or a sub-agent's holds them. */
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
  /** Every file below the roots, by its number. */
  readonly paths: ReadonlyMap<number, string>;
  /** Those whose session the filter chooses. */
  readonly chosen: ReadonlyMap<number, OwningSession>;
  /** The paths of sessions whose title has to be looked through before it is shown. */
  readonly doubtfulTitles: ReadonlySet<string>;
}

type FileCells = readonly [
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

/** Few ask for these, and they have to be looked for. */
const ERRORS = ERROR_PATHS.map((path) => `json_extract(s.summary, '${path}')`).join(" + ");
const TOOLS = `json_extract(s.summary, '${TOOLS_PATH}')`;

const selectFiles = ({ errors, tool }: NumbersFilter) => `
  SELECT json_group_array(json_array(f.id, f.path, f.owner, f.session_id, s.project, s.title, s.has_secret,
    ${errors ? ERRORS : "NULL"}, ${tool === undefined ? "NULL" : TOOLS})) AS rows
  FROM files f LEFT JOIN sessions s ON s.file = f.id`;

export function readScope(
  db: Database,
  roots: readonly string[],
  filter: NumbersFilter,
  knowledge: Knowledge = {},
): Scope {
  const nameIfChosen = (row: FileCells) => (isChosen(row, filter, knowledge) ? toName(row, knowledge) : undefined);
  const rows = JSON.parse(db.prepare<{ rows: string }>(selectFiles(filter)).get()?.rows ?? "[]") as FileCells[];
  const below = rows.filter(([, path]) => isBelow(path, roots));
  const sessions = new Map<string, OwningSession | undefined>();
  for (const row of below) {
    const [, path, owner] = row;
    if (owner === null || owner === path) sessions.set(path, nameIfChosen(row));
  }
  const paths = new Map<number, string>();
  const chosen = new Map<number, OwningSession>();
  const doubtfulTitles = new Set<string>();
  for (const row of below) {
    const [file, path, owner] = row;
    const sessionPath = owner ?? path;
    // The session's own file may be gone; what its sub-agents spent stays.
    if (!sessions.has(sessionPath)) sessions.set(sessionPath, nameIfChosen(row));
    const session = sessions.get(sessionPath);
    paths.set(file, path);
    if (session) chosen.set(file, session);
    if (row[6] === 1 || knowledge.marks?.has(row[3])) doubtfulTitles.add(sessionPath);
  }
  return { paths, chosen, doubtfulTitles };
}

function toName([, path, owner, id, project, title]: FileCells, knowledge: Knowledge): OwningSession {
  return { path: owner ?? path, id, project, title: knownFacts(id, knowledge).userTitle ?? title ?? id };
}

function isChosen(row: FileCells, filter: NumbersFilter, knowledge: Knowledge): boolean {
  const [, path, owner, , project, , , errors, tools] = row;
  return (
    (filter.session === undefined || (owner ?? path) === filter.session) &&
    (filter.project === undefined || isOfProject(project, filter.project)) &&
    (!filter.errors || (errors ?? 0) > 0) &&
    (filter.tool === undefined || isAmong(filter.tool, tools ?? [])) &&
    isKnownAs(row, filter, knowledge)
  );
}

/** What a person said of a session here. */
function isKnownAs([, path, , id]: FileCells, filter: NumbersFilter, knowledge: Knowledge): boolean {
  const { tags, favourite } = knownFacts(id, knowledge);
  const source = filter.source === undefined ? null : sourceOf(path, knowledge);
  return (
    (filter.tags === undefined || filter.tags.every((tag) => isAmong(tag, tags))) &&
    (!filter.favourites || favourite) &&
    (filter.source === undefined || isAmong(filter.source, source === null ? [] : [source]))
  );
}
