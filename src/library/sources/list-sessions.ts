import { findSubagentFiles } from "../../format/layout/files-of-session.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import { type FoundSession, knownFacts } from "../found-session.js";
import { type LoadOptions, loadFound } from "../load/load-session.js";
import {
  byLatestActivity,
  matchesFilter,
  matchesMarks,
  type SessionFilter,
  type SessionSummary,
  summarizeSession,
} from "../load/session-summary.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { expandRoots, findSessions } from "./find-sessions.js";
import { readLatest } from "./read-latest.js";

export interface SessionList {
  /** Latest activity first. */
  readonly sessions: readonly SessionSummary[];
  /** Number of session files before filtering. */
  readonly found: number;
  /** Sessions whose transcript is missing and only side files are left. */
  readonly withoutTranscript: number;
  readonly problems: readonly FileProblem[];
}

/** Reads the sessions below the folders, with a limit only the latest; unreadable ones are reported in `problems`. */
export function listSessions(
  folders: string | readonly string[],
  filter: SessionFilter = {},
  options: LoadOptions = {},
): SessionList {
  const roots = expandRoots(folders);
  const found = findSessions(roots, options);
  const problems: FileProblem[] = [...found.problems];
  const marked = found.sessions.filter((session) => matchesMarks(knownFacts(session.id, options, session), filter));
  const sessions = readLatest(marked, filter, (session) => {
    const summary = summarize(session, problems, options);
    return summary && matchesFilter(summary, filter) ? summary : undefined;
  });
  return {
    sessions: sessions.sort(byLatestActivity).slice(0, filter.limit),
    found: found.sessions.length,
    withoutTranscript: found.withoutTranscript.length,
    problems,
  };
}

function summarize(session: FoundSession, problems: FileProblem[], options: LoadOptions): SessionSummary | undefined {
  return skipUnreadable(session.path, problems, () => {
    const agents = findSubagentFiles(session.open(), session.sharedSubagents());
    return summarizeSession(loadFound(session, options), agents.subagents.length);
  });
}
