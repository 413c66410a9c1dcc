import { rmSync } from "node:fs";
import { join, sep } from "node:path";
import { type FileProblem, mayExist } from "../../format/layout/folder-listing.js";
import { dataPaths, ensureDataDir } from "../../store/data-dir.js";
import { tryLock } from "../../store/lock.js";
import { removeFolder } from "../../store/move-file.js";
import { listAside } from "../../store/own-database.js";
import { sweepTemporary } from "../../store/temporary.js";
import { readMarks } from "../../store/user-db.js";
import { type Archive, type FoundSession, openArchive } from "../found-session.js";
import { skipUnreadable } from "../skip-unreadable.js";
import { type ArchivedSession, archiveAll, listArchived, packedSizeOf, writeArchived } from "./archive.js";

export interface UpdatedArchive {
  /** Paths of the sessions whose copies are up to date. */
  readonly paths: readonly string[];
  readonly dropped: Dropped;
}

/**
 * Archives the sessions, then applies the retention settings; undefined while another process does so. Nothing is
 * dropped when user.db, which says which sessions to keep, cannot be read or was damaged.
 */
export function updateArchive(
  dataDir: string,
  sessions: readonly FoundSession[],
  retention: Retention,
  problems: FileProblem[] = [],
): UpdatedArchive | undefined {
  const lock = tryLock(archiveLockPath(dataDir), { purpose: "archiving" });
  if (!lock) return undefined;
  try {
    ensureDataDir(dataDir, "archive");
    const archive = openArchive(dataDir);
    sweepTemporary(archive.folder);
    const received = join(dataDir, "sync") + sep; // of other machines: the shared folder has them already
    const own = sessions.filter(({ path }) => !path.startsWith(received));
    const paths = archiveAll(archive, own, problems);
    const marks = skipUnreadable(dataPaths(dataDir).user, problems, () => readMarks(dataDir));
    const isLimited = retention.keepDays !== undefined || retention.maxBytes !== undefined;
    if (!marks || (isLimited && wasDamaged(dataDir, problems))) return { paths, dropped: { sessions: 0, bytes: 0 } };
    const marked = [...marks].filter(([, { favourite, tags }]) => favourite || tags.length > 0);
    const keep = new Set(marked.map(([id]) => id));
    return { paths, dropped: applyRetention(archive, retention, keep, Date.now(), problems) };
  } finally {
    lock.release();
  }
}

/** A session that was marked may not be marked any more. */
function wasDamaged(dataDir: string, problems: FileProblem[]): boolean {
  const { user } = dataPaths(dataDir);
  const [aside] = listAside(user);
  if (aside === undefined) return false;
  problems.push({
    path: user,
    reason: `it was damaged: nothing is dropped from the archive until you remove ${aside}`,
  });
  return true;
}

export function archiveLockPath(dataDir: string): string {
  return join(ensureDataDir(dataDir, "locks"), "archive.lock");
}

export interface Retention {
  /** Maximum size of the archive. */
  readonly maxBytes?: number | undefined;
  /** How long deleted sessions are kept after their last activity, and replaced copies after their replacement. */
  readonly keepDays?: number | undefined;
}

interface Dropped {
  readonly sessions: number;
  readonly bytes: number;
}

const DAY_MS = 86_400_000;

/**
 * Drops replaced copies first, then sessions that only the archive has, oldest first. Never drops sessions in `keep`,
 * copies of sessions that still exist, or copies of sessions below a root that is not mounted.
 */
export function applyRetention(
  archive: Archive,
  { maxBytes = Number.POSITIVE_INFINITY, keepDays = Number.POSITIVE_INFINITY }: Retention,
  keep: ReadonlySet<string>,
  now = Date.now(),
  problems: FileProblem[] = [],
): Dropped {
  const sessions = listArchived(archive);
  const before = sumOf(sessions);
  const since = now - keepDays * DAY_MS;
  const withoutFormer = (session: ArchivedSession, replacedBefore: number) =>
    skipUnreadable(session.folder, problems, () => dropFormer(session, replacedBefore)) ?? session;
  let left = sessions.map((session) => withoutFormer(session, since));
  if (sumOf(left) > maxBytes) left = left.map((session) => withoutFormer(session, Number.POSITIVE_INFINITY));
  let size = sumOf(left);
  const droppable = left.filter((session) => isArchivedOnly(session) && !keep.has(session.id));
  let count = 0;
  for (const session of droppable.sort((a, b) => lastActivityOf(a) - lastActivityOf(b))) {
    if (lastActivityOf(session) >= since && size <= maxBytes) break;
    const isRemoved = skipUnreadable(session.folder, problems, () => {
      removeFolder(session.folder);
      return true;
    });
    if (!isRemoved) continue;
    size -= packedSizeOf(session);
    count += 1;
  }
  return { sessions: count, bytes: before - size };
}

/** The root exists, the session does not. */
export function isArchivedOnly({ root, path }: ArchivedSession): boolean {
  return mayExist(root) && !mayExist(path);
}

function lastActivityOf({ files }: ArchivedSession): number {
  return files[0]?.mtimeMs ?? 0;
}

function sumOf(sessions: readonly ArchivedSession[]): number {
  return sessions.reduce((sum, session) => sum + packedSizeOf(session), 0);
}

/** Writes the manifest first: files it does not list are ignored. */
function dropFormer(session: ArchivedSession, replacedBefore: number): ArchivedSession {
  const isKept = ({ replacedAt }: ArchivedSession["former"][number]) => Date.parse(replacedAt) >= replacedBefore;
  const former = session.former.filter(isKept);
  if (former.length === session.former.length) return session;
  const kept = { ...session, former };
  writeArchived(kept);
  for (const copy of session.former) if (!isKept(copy)) rmSync(join(session.folder, copy.data), { force: true });
  return kept;
}
