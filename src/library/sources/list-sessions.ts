import { findSubagentFiles } from "../../format/layout/files-of-session.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import type { FoundSession } from "../found-session.js";
import { type LoadOptions, loadFound } from "../load/load-session.js";
import {
  byLatestActivity,
  matchesFilter,
  type SessionFilter,
  type SessionSummary,
  summarizeSession,
} from "../load/session-summary.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { expandRoots, findSessions } from "./find-sessions.js";

export interface SessionList {
  /** Latest activity first. */
  readonly sessions: readonly SessionSummary[];
  /** Number of session files before filtering. */
  readonly found: number;
  /** Sessions whose transcript is missing and only side files are left. */
  readonly withoutTranscript: number;
  readonly problems: readonly FileProblem[];
}

/** Reads every session below the folders; unreadable ones are reported in `problems`. */
export function listSessions(
  folders: string | readonly string[],
  filter: SessionFilter = {},
  options: LoadOptions = {},
): SessionList {
  const roots = expandRoots(folders);
  const found = findSessions(roots, options);
  const problems: FileProblem[] = [...found.problems];
  const sessions = found.sessions
    .flatMap((session) => summarize(session, problems, options) ?? [])
    .filter((session) => matchesFilter(session, filter))
    .sort(byLatestActivity);
  return {
    sessions: sessions.slice(0, filter.limit),
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
