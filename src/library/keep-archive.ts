import { join } from "node:path";
import type { FileProblem } from "../format/folder-listing.js";
import { dataPaths, ensureDataDir } from "../store/data-dir.js";
import { tryLock } from "../store/lock.js";
import { readMarks } from "../store/user-db.js";
import { archiveAll, sweepArchive } from "./archive.js";
import { openArchive } from "./archive-place.js";
import { applyRetention, type Dropped, type Retention } from "./archive-retention.js";
import type { FoundSession } from "./found-session.js";
import { skipUnreadable } from "./skip-unreadable.js";

export interface KeptArchive {
  /** Of the sessions whose copies are up to date. */
  readonly paths: readonly string[];
  readonly dropped: Dropped;
}

/**
 * Brings the archive up to date, then drops what the settings no longer want; undefined when another process is doing that. A
 * user.db that cannot be read drops nothing, as nobody knows what must stay.
 */
export function keepArchive(
  dataDir: string,
  sessions: readonly FoundSession[],
  retention: Retention,
  problems: FileProblem[] = [],
): KeptArchive | undefined {
  const lock = tryLock(join(ensureDataDir(dataDir, "locks"), "archive.lock"), { purpose: "archiving" });
  if (!lock) return undefined;
  try {
    ensureDataDir(dataDir, "archive");
    const archive = openArchive(dataDir);
    sweepArchive(archive);
    const paths = archiveAll(archive, sessions, problems);
    const marks = skipUnreadable(dataPaths(dataDir).user, problems, () => readMarks(dataDir));
    if (!marks) return { paths, dropped: { sessions: 0, bytes: 0 } };
    const marked = [...marks].filter(([, { favourite, tags }]) => favourite || tags.length > 0);
    return { paths, dropped: applyRetention(archive, retention, new Set(marked.map(([id]) => id))) };
  } finally {
    lock.release();
  }
}
