import { listAt } from "../../collections.js";
import { findSubagentFiles } from "../../format/layout/files-of-session.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import type { Outline } from "../../session/open-session.js";
import { placeMessages, spentByPart } from "../../session/session-spend.js";
import { type FoundSession, knownFacts } from "../found-session.js";
import { type LoadedSession, type LoadOptions, loadFound } from "../load/load-session.js";
import {
  byLatestActivity,
  matchesFile,
  matchesFilter,
  matchesMarks,
  type SessionFilter,
  type SessionSummary,
  summarizeSession,
} from "../load/session-summary.js";
import { readOutline } from "../load/subagents.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { expandRoots, findSessions } from "../sources/find-sessions.js";
import { readLatest } from "../sources/read-latest.js";
import { ownerOf, walkLibrary } from "../sources/walk-library.js";
import { costsInLibrary, type FileSpend, findCopies, type ReadFile } from "./copies.js";
import { listMessages } from "./number-rows.js";

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
 * Where all are read, each message counts once; where only some are, their own records tell which messages are copies.
 */
export function listSessions(
  folders: string | readonly string[],
  filter: SessionFilter = {},
  options: LoadOptions = {},
): SessionList {
  return listUnknown(folders, undefined, filter, options);
}

/** The same, reading only sessions that are not known by their path. */
export function listUnknown(
  folders: string | readonly string[],
  known: ReadonlyMap<string, SessionSummary> | undefined,
  filter: SessionFilter,
  options: LoadOptions,
): SessionList {
  const roots = expandRoots(folders);
  const found = findSessions(roots, options);
  const problems: FileProblem[] = [...found.problems];
  const isWhole = filter.limit === undefined && filter.since === undefined && !known;
  const sessions = isWhole
    ? readAll(found.sessions, roots, problems, options).filter((session) => matchesFilter(session, filter))
    : readSome(found.sessions, filter, problems, options, known);
  return {
    sessions: sessions.sort(byLatestActivity).slice(0, filter.limit),
    found: found.sessions.length,
    withoutTranscript: found.withoutTranscript.length,
    problems,
  };
}

function readSome(
  found: readonly FoundSession[],
  filter: SessionFilter,
  problems: FileProblem[],
  options: LoadOptions,
  known: ReadonlyMap<string, SessionSummary> = new Map(),
): SessionSummary[] {
  const marked = found.filter((session) => matchesMarks(knownFacts(session.id, options, session), filter));
  const unread = marked.filter(({ path }) => !known.has(path));
  const isFound = new Set(marked.map(({ path }) => path));
  const chosen = [...known.values()].filter((session) => isFound.has(session.path) && matchesFilter(session, filter));
  return readLatest(unread, { ...filter, chosen }, (session) =>
    skipUnreadable(session.path, problems, () => {
      const loaded = loadFound(session, options);
      const agents = findSubagentFiles(session.open(), session.sharedSubagents()).subagents;
      const summary = summarizeSession(loaded, agents.length);
      return matchesFile(summary, filter) ? { ...summary, ...loaded.costs() } : undefined;
    }),
  );
}

function readAll(
  found: readonly FoundSession[],
  roots: readonly string[],
  problems: FileProblem[],
  options: LoadOptions,
): SessionSummary[] {
  const agents = readSubagents(roots, problems, options);
  const read = found.flatMap((session) => readSession(session, problems, options) ?? []);
  const copies = findCopies([...agents, ...read.map(({ file }) => file)]);
  const agentsOf = groupBySession(agents);
  return read.map(({ session, file }) => {
    const own = agentsOf(file.path);
    return { ...summarizeSession(session, own.length), ...costsInLibrary(file, own, copies, options.prices) };
  });
}

/** A file that was read, with what it spent. */
interface SpendingFile extends ReadFile, FileSpend {}

interface ReadSession {
  readonly session: LoadedSession;
  readonly file: SpendingFile;
}

function readSession(found: FoundSession, problems: FileProblem[], options: LoadOptions): ReadSession | undefined {
  return skipUnreadable(found.path, problems, () => {
    const session = loadFound(found, options);
    return { session, file: toFile(found.path, found.path, session.outline, false) };
  });
}

/** Also those whose session is gone: they may hold the only copy of a message. */
function readSubagents(
  roots: readonly string[],
  problems: FileProblem[],
  { archive }: LoadOptions,
): readonly SpendingFile[] {
  const files = new Map(walkLibrary(roots, archive).files.map((file) => [file.path, file]));
  return [...files.values()].flatMap((file) => {
    if (!file.agent) return [];
    const session = ownerOf(file, problems).path ?? file.path;
    return skipUnreadable(file.path, problems, () => toFile(file.path, session, readOutline(file.open()), true)) ?? [];
  });
}

function toFile(path: string, session: string, outline: Outline, isAgent: boolean): SpendingFile {
  const spent = spentByPart(placeMessages(outline, isAgent));
  return { path, session, messages: listMessages(outline, isAgent), spent };
}

function groupBySession(files: readonly SpendingFile[]): (session: string) => readonly SpendingFile[] {
  const groups = new Map<string, SpendingFile[]>();
  for (const file of files) listAt(groups, file.session).push(file);
  return (session) => groups.get(session) ?? [];
}
