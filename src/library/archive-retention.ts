import { rmSync } from "node:fs";
import { join } from "node:path";
import { mayBeThere } from "../format/folder-listing.js";
import { type ArchivedSession, listArchived, packedSizeOf, removeArchived, writeArchived } from "./archive.js";
import type { Archive } from "./archive-place.js";

export interface Retention {
  /** What the archive may take. */
  readonly maxBytes?: number | undefined;
  /** How long a session that its client deleted is kept after its last activity, and a copy after it was replaced. */
  readonly keepDays?: number | undefined;
}

export interface Dropped {
  readonly sessions: number;
  readonly bytes: number;
}

const DAY_MS = 86_400_000;

/**
 * Drops what the settings no longer want: replaced copies first, then sessions that only the archive has, oldest first. Never
 * those in `keep`, nor copies of sessions that are still there, nor any of a root that is itself away (not mounted).
 */
export function applyRetention(
  archive: Archive,
  { maxBytes = Number.POSITIVE_INFINITY, keepDays = Number.POSITIVE_INFINITY }: Retention,
  keep: ReadonlySet<string>,
  now = Date.now(),
): Dropped {
  const sessions = listArchived(archive);
  const before = sumOf(sessions);
  const since = now - keepDays * DAY_MS;
  let left = sessions.map((session) => dropFormer(session, since));
  if (sumOf(left) > maxBytes) left = left.map((session) => dropFormer(session, Number.POSITIVE_INFINITY));
  let size = sumOf(left);
  const droppable = left.filter((session) => isGone(session) && !keep.has(session.id));
  let count = 0;
  for (const session of droppable.sort((a, b) => lastActivityOf(a) - lastActivityOf(b))) {
    if (lastActivityOf(session) >= since && size <= maxBytes) break;
    removeArchived(session);
    size -= packedSizeOf(session);
    count += 1;
  }
  return { sessions: count, bytes: before - size };
}

/** Its root is there, but the session is not. */
export function isGone({ root, path }: ArchivedSession): boolean {
  return mayBeThere(root) && !mayBeThere(path);
}

function lastActivityOf({ files }: ArchivedSession): number {
  return files[0]?.mtimeMs ?? 0;
}

function sumOf(sessions: readonly ArchivedSession[]): number {
  return sessions.reduce((sum, session) => sum + packedSizeOf(session), 0);
}

/** The manifest first: a copy that it does not name is nothing. */
function dropFormer(session: ArchivedSession, replacedBefore: number): ArchivedSession {
  const isKept = ({ replacedAt }: ArchivedSession["former"][number]) => Date.parse(replacedAt) >= replacedBefore;
  const former = session.former.filter(isKept);
  if (former.length === session.former.length) return session;
  const kept = { ...session, former };
  writeArchived(kept);
  for (const copy of session.former) if (!isKept(copy)) rmSync(join(session.folder, copy.data), { force: true });
  return kept;
}
