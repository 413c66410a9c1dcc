import { listAt } from "../../collections.js";
import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { costsOfFiles } from "../../session/session-spend.js";
import type { FileBrief } from "../entries/file-numbers.js";
import { type FileToRead, readEntries, type StartThread } from "../entries/read-entries.js";
import { type EntryRequest, readBrief } from "../entries/read-entry.js";
import {
  type CountCells,
  type LinkCells,
  type SpentCells,
  type SummaryCells,
  unpackCounts,
  unpackLinks,
  unpackSpent,
} from "../entries/summary-cells.js";
import { type FoundSession, knownFacts } from "../found-session.js";
import { type LoadOptions, loadFound } from "../load/load-session.js";
import {
  byLatestActivity,
  linksOf,
  matchesFile,
  matchesFilter,
  matchesLinks,
  matchesMarks,
  type SessionFilter,
  type SessionSummary,
  summarizeSession,
} from "../load/session-summary.js";
import { readSubagentFiles } from "../load/subagents.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { expandRoots, findSessions } from "../sources/find-sessions.js";
import { readLatest } from "../sources/read-latest.js";
import { findRipgrep } from "../sources/ripgrep.js";
import { type LibraryFile, type LibraryWalk, ownerOf, walkLibrary } from "../sources/walk-library.js";
import { type AgentFigures, type CopyingFile, findCopies } from "./copies.js";
import { costsAmong, type ReadSession, readRows, type SearchedLibrary, toReadSession } from "./costs-among.js";
import { toSummary } from "./session-cells.js";

export interface SessionList {
  /** Latest activity first. */
  readonly sessions: readonly SessionSummary[];
  /** Number of session files before filtering. */
  readonly found: number;
  /** Sessions whose transcript is missing and only side files are left. */
  readonly withoutTranscript: number;
  readonly problems: readonly FileProblem[];
}

/**
 * Reads the sessions below the folders, with a limit or a time only the latest; unreadable ones are reported in `problems`.
 * Each message counts once: files that hold what is also in one of these sessions are looked for and read.
 */
export function listSessions(
  folders: string | readonly string[],
  filter: SessionFilter = {},
  options: LoadOptions = {},
): SessionList {
  return listUnknown(folders, undefined, filter, options, findRipgrep());
}

/** The same, reading only sessions that are not known by their path; `ripgrep` finds the files that hold copies of what they hold. */
export function listUnknown(
  folders: string | readonly string[],
  known: ReadonlyMap<string, SessionSummary> | undefined,
  filter: SessionFilter,
  options: LoadOptions,
  ripgrep?: string,
): SessionList {
  const roots = expandRoots(folders);
  if (isWhole(filter) && !known) return listAll(roots, filter, options);
  const found = findSessions(roots, options);
  const problems: FileProblem[] = [...found.problems];
  const request = { found: found.sessions, known: known ?? new Map(), filter, options, problems };
  const library = ripgrep === undefined ? undefined : { ripgrep, files: walkLibrary(roots, options.archive).files };
  return {
    sessions: readSome(request, library),
    found: found.sessions.length,
    withoutTranscript: found.withoutTranscript.length,
    problems,
  };
}

/** Whether a list needs all sessions, so that all copies of a message are seen. */
export function isWhole({ limit, since }: SessionFilter): boolean {
  return limit === undefined && since === undefined;
}

function listAll(roots: readonly string[], filter: SessionFilter, options: LoadOptions): SessionList {
  const walk = walkLibrary(roots, options.archive);
  const problems: FileProblem[] = [...walk.problems];
  const read = uniqueFiles(walk).map((file) => {
    return { file, brief: skipUnreadable(file.path, problems, () => readBrief(toRequest(file))) };
  });
  return summarizeAll(walk, read, problems, filter, options);
}

/** The same on all cores. */
export async function listAllOnThreads(
  roots: readonly string[],
  filter: SessionFilter,
  options: LoadOptions,
  startThread: StartThread,
): Promise<SessionList> {
  const walk = walkLibrary(roots, options.archive);
  const files = uniqueFiles(walk).sort((a, b) => b.size - a.size); // the largest first, so that threads end together
  const problems: FileProblem[] = [...walk.problems];
  const read: { file: LibraryFile; brief: FileBrief }[] = [];
  const how = { startThread, pauseBytes: Number.POSITIVE_INFINITY, isBrief: true };
  for await (const { done } of readEntries(files.map(toFileToRead), how)) {
    const file = done && files[done.at];
    if (!file) continue;
    if ("problem" in done.outcome) problems.push({ path: file.path, reason: done.outcome.problem });
    else read.push({ file, brief: done.outcome });
  }
  return summarizeAll(walk, read, problems, filter, options);
}

function toFileToRead(file: LibraryFile): FileToRead<FileBrief> {
  return {
    size: file.size,
    fresh: file.archive === null ? attempt(file.path, [], () => toRequest(file)) : undefined,
    *read() {
      yield file.size;
      return readBrief(toRequest(file));
    },
  };
}

function uniqueFiles({ files }: LibraryWalk): LibraryFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

function toRequest(file: LibraryFile): Omit<EntryRequest, "known"> {
  return { path: file.path, openPath: file.open(), isAgent: file.agent !== undefined, isGrowing: false };
}

interface BrieflyRead {
  readonly file: LibraryFile;
  readonly brief: FileBrief | undefined;
}

/** Sessions and sub-agents; these also where their session is gone: they may hold the only copy of a message. */
function summarizeAll(
  walk: LibraryWalk,
  read: readonly BrieflyRead[],
  problems: FileProblem[],
  filter: SessionFilter,
  options: LoadOptions,
): SessionList {
  const entries = read.flatMap(({ file, brief }) => (brief ? [toEntry(file, brief, problems)] : []));
  const copies = findCopies(entries);
  const agentsOf = groupAgents(entries);
  const sessions = entries.flatMap(({ file, brief }) => {
    if (!brief.session) return [];
    const { path, size, archive } = file;
    const [ended, project, title, summary] = brief.session;
    const cells = [path, sessionPaths(path).id, size, archive, ended, project, title, 0] as const;
    const others = { subagents: agentsOf(path), copies };
    const session = toSummary(cells, JSON.parse(summary) as SummaryCells, others, options);
    return matchesFilter(session, filter) ? [session] : [];
  });
  return {
    sessions: sessions.sort(byLatestActivity),
    found: uniqueFiles(walk).filter(({ agent }) => !agent).length,
    withoutTranscript: walk.withoutTranscript,
    problems,
  };
}

const NO_ROWS = { messages: [], calls: [], turns: [] };

interface ReadEntry extends CopyingFile {
  readonly file: LibraryFile;
  readonly brief: FileBrief;
}

function toEntry(file: LibraryFile, brief: FileBrief, problems: FileProblem[]): ReadEntry {
  return {
    file,
    brief,
    path: file.path,
    session: ownerOf(file, problems).path ?? file.path,
    keys: brief.keys,
    readRows: () => skipUnreadable(file.path, problems, () => readRows(file)) ?? NO_ROWS,
  };
}

function groupAgents(entries: readonly ReadEntry[]): (session: string) => readonly AgentFigures[] {
  const groups = new Map<string, AgentFigures[]>();
  for (const { path, session, brief } of entries) {
    if (brief.agent === null) continue;
    const spent = (JSON.parse(brief.agent[0]) as SpentCells[]).map(unpackSpent);
    const counts = unpackCounts(JSON.parse(brief.agent[1]) as CountCells);
    listAt(groups, session).push({ path, spent, counts, links: unpackLinks(JSON.parse(brief.agent[2]) as LinkCells) });
  }
  return (session) => groups.get(session) ?? [];
}

interface SomeRead {
  readonly found: readonly FoundSession[];
  readonly known: ReadonlyMap<string, SessionSummary>;
  readonly filter: SessionFilter;
  readonly options: LoadOptions;
  readonly problems: FileProblem[];
}

/** Latest first. `library` is where copies of what they hold are looked for; without it their records tell. */
function readSome({ found, known, filter, options, problems }: SomeRead, library?: SearchedLibrary): SessionSummary[] {
  const marked = found.filter((session) => matchesMarks(knownFacts(session.id, options, session), filter));
  const unread = marked.filter(({ path }) => !known.has(path));
  const byPath = new Map(marked.map((session) => [session.path, session]));
  const chosen = [...known.values()].filter((session) => byPath.has(session.path) && matchesFilter(session, filter));
  const read = new Map<string, ReadSession>();
  const { pullRequest: _pullRequest, commit: _commit, ...withoutLinks } = filter; // sub-agents have links too
  const sessions = readLatest(unread, { ...filter, chosen }, (session) =>
    skipUnreadable(session.path, problems, () => {
      const loaded = loadFound(session, options);
      if (!matchesFile(summarizeSession(loaded, 0), withoutLinks)) return undefined;
      const agents = readSubagentFiles(loaded.path, session.sharedSubagents(), options.prices);
      if (library) read.set(session.path, toReadSession(session.path, loaded, agents));
      const outlines = agents.map(({ outline }) => outline);
      const links = linksOf([loaded.outline, ...outlines]);
      if (!matchesLinks(links, loaded.header, filter)) return undefined;
      const summary = { ...summarizeSession(loaded, agents.length), ...links };
      return { ...summary, ...costsOfFiles(loaded.outline, outlines, options.prices) };
    }),
  );
  const latest = sessions.sort(byLatestActivity).slice(0, filter.limit);
  if (!library || read.size === 0) return latest;
  const shown = new Set(latest.map(({ path }) => path));
  const costs = costsAmong(
    latest.flatMap(({ path }) => read.get(path) ?? []),
    library,
    options.prices,
    (path) => {
      const session = shown.has(path) ? byPath.get(path) : undefined;
      return session && skipUnreadable(path, problems, () => readWhole(session, options));
    },
  );
  return latest.map((session) => ({ ...session, ...costs.get(session.path) }));
}

function readWhole(session: FoundSession, options: LoadOptions): ReadSession {
  const loaded = loadFound(session, options);
  const agents = readSubagentFiles(loaded.path, session.sharedSubagents(), options.prices);
  return toReadSession(session.path, loaded, agents);
}
