import { type FileProblem, listTree, type TreeItem } from "../../format/layout/folder-listing.js";
import { archivedFolders } from "../archive/archive.js";
import { itemsOfSession } from "../archive/session-items.js";
import { listSessions } from "../catalog/list-sessions.js";
import type { Archive, FoundSession } from "../found-session.js";
import { type LoadOptions, loadFound } from "../load/load-session.js";
import type { SessionFilter, SessionSummary } from "../load/session-summary.js";
import type { RunningSessions, SessionActivity } from "../running/running-sessions.js";
import { planPurge } from "../shared-files/purge.js";
import { openSharedFiles, type SharedFiles, type SharedMention } from "../shared-files/shared-mentions.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { findSessions } from "../sources/find-sessions.js";
import { moveToTrash, sizeOf, type TrashedHeader } from "./trash.js";

/** A session that can be deleted, with all files that belong to it. */
export interface Deletable extends TrashedHeader {
  readonly root: string;
  readonly items: readonly TreeItem[];
  readonly sizeBytes: number;
  /** Its latest timestamp, or the time its file was last written. */
  readonly endedAt: string;
  readonly isFavourite: boolean;
  /** What still works on it. */
  readonly activity: SessionActivity | undefined;
}

export interface BulkFilter extends SessionFilter {
  readonly endedBefore?: number | undefined; // ms since the epoch
  readonly largerThan?: number | undefined; // bytes, side files included
}

/** Largest first. */
export function findDeletable(
  roots: readonly string[],
  filter: BulkFilter,
  options: LoadOptions,
  running: RunningSessions,
  problems: FileProblem[],
): Deletable[] {
  const { endedBefore = Number.POSITIVE_INFINITY, largerThan = -1, limit, ...others } = filter;
  const found = new Map(findSessions(roots, options).sessions.map((session) => [session.path, session]));
  const list = listSessions(roots, others, options);
  problems.push(...list.problems);
  return list.sessions
    .flatMap((summary) => {
      const session = found.get(summary.path);
      return session && endOf(summary, session) < endedBefore ? [toDeletable(summary, session, options, running)] : [];
    })
    .filter(({ sizeBytes }) => sizeBytes > largerThan)
    .sort((a, b) => b.sizeBytes - a.sizeBytes)
    .slice(0, limit);
}

/** Describes one session, reading it if there is no summary. An unreadable session can be deleted too. */
export function describeDeletable(
  session: FoundSession,
  options: LoadOptions,
  running: RunningSessions,
  summary?: SessionSummary,
): Deletable {
  const header = summary ?? skipUnreadable(session.path, [], () => loadFound(session, options).header);
  const unread = { title: session.id, project: null, favourite: false, endedAt: null };
  return toDeletable(header ?? unread, session, options, running);
}

function endOf({ endedAt }: Pick<SessionSummary, "endedAt">, { mtimeMs }: FoundSession): number {
  const ended = Date.parse(endedAt ?? "");
  return Number.isNaN(ended) ? mtimeMs : ended;
}

function toDeletable(
  summary: Pick<SessionSummary, "title" | "project" | "favourite" | "endedAt">,
  session: FoundSession,
  { archive }: LoadOptions,
  running: RunningSessions,
): Deletable {
  const { id, path, root } = session;
  const { title, project, favourite } = summary;
  const own = itemsOfSession(session);
  const writtenAt = own.reduce(
    (latest, { kind, mtimeMs }) => (kind === "file" ? Math.max(latest, mtimeMs) : latest),
    0,
  );
  const activity = running.findOrGuess(session, writtenAt);
  const items = [...own, ...(archive ? archivedItems(archive, id) : [])];
  const endedAt = new Date(endOf(summary, session)).toISOString();
  const sizeBytes = sizeOf(items);
  return { id, path, root, title, project, items, sizeBytes, endedAt, isFavourite: favourite, activity };
}

/** Deletes sessions, one after the other; `purges` also takes their lines out of shared files. */
export function deleteSessions(trash: string, sessions: readonly Deletable[], purges: boolean): void {
  for (const { id, path, root, title, project, items } of sessions) {
    const plan = purges ? planPurge({ id, root }) : undefined;
    moveToTrash(trash, { id, path, title, project }, [...items, ...(plan?.pastes ?? [])], plan?.purge);
  }
}

/** What names each session in files that it shares with others. To be asked before anything is deleted. */
export function findMentions(sessions: readonly Deletable[]): ReadonlyMap<string, readonly SharedMention[]> {
  const files = new Map<string, SharedFiles>();
  const filesOf = (root: string) => {
    const known = files.get(root) ?? openSharedFiles(root);
    files.set(root, known);
    return known;
  };
  return new Map(sessions.map((session) => [session.path, filesOf(session.root).mentionsOf(session)]));
}

/** Archived copies are deleted and restored with the session; otherwise it would still be listed from the archive. */
function archivedItems(archive: Archive, id: string): TreeItem[] {
  return archivedFolders(archive).flatMap((copy) => (copy.id === id ? listTree(copy.folder) : []));
}
