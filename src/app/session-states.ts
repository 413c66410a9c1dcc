import { existsSync } from "node:fs";
import { sep } from "node:path";
import { isTrueAt, tryParseJson } from "../format/json.js";
import { listFolder } from "../format/layout/folder-listing.js";
import { sessionPaths } from "../format/layout/session-paths.js";
import { readSmallFile } from "../format/layout/small-file.js";
import { itemsOfSession } from "../library/archive/session-items.js";
import {
  type CleanupRule,
  cleanupTimeOf,
  earliestCleanup,
  type PartialCleanup,
  partialCleanups,
  readCleanupRule,
} from "../library/cleanup/client-cleanup.js";
import type { FoundSession } from "../library/found-session.js";
import type { SessionSummary } from "../library/load/session-summary.js";
import { openRunningSessions } from "../library/running/running-sessions.js";

/** What Claude Code is doing with a session now, besides what its file says. */
export interface SessionState {
  /** The process that works on it; `certain` is false for one that cannot be seen from here. */
  readonly running: {
    readonly pid: number;
    readonly certain: boolean;
    readonly status: string | null;
    readonly waitingFor: string | null;
    readonly since: string | null;
  } | null;
  /** Archived with Claude Code, whose lists hide it; turnlog's own archive is something else. */
  readonly archivedByClaude: boolean;
}

type Place = Pick<SessionSummary, "id" | "path" | "archived">;

/** Asks each folder once; for the sessions of one list. */
export function openStates(roots: readonly string[]): (session: Place) => SessionState {
  const running = openRunningSessions();
  const isArchived = openArchiveMarks();
  return ({ id, path }) => {
    const root = rootOf(path, roots);
    const activity = root === undefined ? undefined : running.find({ id, root });
    return { running: activity?.kind === "client" ? toRunning(activity) : null, archivedByClaude: isArchived(path) };
  };
}

/** What Claude Code's clean-up takes until a moment; of sessions that are not its own, nothing. Times are ms since the epoch. */
export interface Cleanups {
  /** By its age alone, whatever made it; reads nothing. */
  mayGo(session: FoundSession): boolean;
  /** Null: the session stays. */
  wholeAt(session: FoundSession): number | null;
  /** Files and folders of a session that stays. */
  partsOf(session: FoundSession): PartialCleanup[];
}

export function openCleanups(until: number): Cleanups {
  const rules = new Map<string, CleanupRule>();
  const ruleOf = ({ root, archived, source }: FoundSession) => {
    if (archived || source !== null) return undefined;
    const rule = rules.get(root) ?? readCleanupRule(root);
    rules.set(root, rule);
    return rule;
  };
  const mayGo = (session: FoundSession) => {
    const rule = ruleOf(session);
    return rule !== undefined && earliestCleanup(session, rule) <= until;
  };
  return {
    mayGo,
    wholeAt: (session) => {
      const rule = ruleOf(session);
      if (!rule || !mayGo(session)) return null; // then it need not be read
      const time = cleanupTimeOf(session, rule);
      return time !== null && time <= until ? time : null;
    },
    partsOf: (session) => {
      const rule = ruleOf(session);
      return rule ? partialCleanups(itemsOfSession(session), rule).filter(({ at }) => at <= until) : [];
    },
  };
}

function rootOf(path: string, roots: readonly string[]): string | undefined {
  return roots.find((root) => path.startsWith(root.endsWith(sep) ? root : root + sep));
}

function toRunning({ pid, isCertain, status, waitingFor, since }: RunningActivity): SessionState["running"] {
  return { pid, certain: isCertain, status, waitingFor, since: since === null ? null : new Date(since).toISOString() };
}

type RunningActivity = Extract<ReturnType<ReturnType<typeof openRunningSessions>["find"]>, { kind: "client" }>;

const MAX_MARK_BYTES = 64 * 1024;

/** Of a folder with more sessions than this, the entries are listed: looking for a file beside each takes longer. */
const FEW_SESSIONS = 2;

/** Answers for the sessions of one list. A new prompt in an archived session writes `archived: false`. */
function openArchiveMarks(): (path: string) => boolean {
  const folders = new Map<string, { asked: number; names?: ReadonlySet<string> | undefined }>();
  return (path) => {
    const paths = sessionPaths(path);
    const folder = folders.get(paths.projectDir) ?? { asked: 0 };
    if (folder.asked === 0) folders.set(paths.projectDir, folder);
    folder.asked += 1;
    if (folder.asked > FEW_SESSIONS) folder.names ??= namesIn(paths.projectDir);
    if (folder.names?.has(paths.id) === false) return false;
    const { archivedFile } = paths;
    if (!existsSync(archivedFile)) return false; // nearly always, and an exception is slow
    const text = readSmallFile(archivedFile, { maxBytes: MAX_MARK_BYTES });
    return text !== undefined && isTrueAt(tryParseJson(text.toString("utf8")), "archived");
  };
}

/** Undefined where a folder cannot be listed as a whole. */
function namesIn(folder: string): ReadonlySet<string> | undefined {
  const { entries, problems } = listFolder(folder);
  return problems.length > 0 ? undefined : new Set(entries.map(({ name }) => name));
}
