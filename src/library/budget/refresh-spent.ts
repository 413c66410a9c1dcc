import { reasonOf } from "../../errors.js";
import { isSameState } from "../../format/identity/file-identity.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import { acquireLock, type Lock, tryLock } from "../../store/lock.js";
import { useOwnLonger } from "../../store/own-database.js";
import { type Database, isSqliteError } from "../../store/sqlite.js";
import type { Archive } from "../found-session.js";
import { walkLibrary } from "../sources/walk-library.js";
import { forgetFile, notedFiles, noteFile } from "./note-file.js";
import { forgetOld, spentDatabase, writeMeta } from "./spent-database.js";

export interface SpentPlace {
  readonly dataFolder: string;
  readonly roots: readonly string[];
  readonly archive?: Archive | undefined;
}

const PURPOSE = { purpose: "adding up what was spent" };
const PATIENCE_MS = 600_000;

/** Brings the sum of all sessions up to date, or makes it; waits for another process that does. Returns what cannot be read. */
export async function refreshSpent(place: SpentPlace): Promise<readonly FileProblem[]> {
  return withLock(await acquireLock(lockPath(place), { ...PURPOSE, timeoutMs: PATIENCE_MS }), place);
}

/** The same, unless another process is at it. */
export async function refreshSpentIfFree(place: SpentPlace): Promise<void> {
  const lock = tryLock(lockPath(place), PURPOSE);
  if (lock) await withLock(lock, place);
}

function lockPath({ dataFolder, roots }: SpentPlace): string {
  return `${spentDatabase(dataFolder, roots).path}.refresh.lock`;
}

async function withLock(lock: Lock, place: SpentPlace): Promise<readonly FileProblem[]> {
  try {
    return await useOwnLonger(spentDatabase(place.dataFolder, place.roots), (db) => refresh(db, place));
  } finally {
    lock.release();
  }
}

async function refresh(db: Database, { roots, archive }: SpentPlace): Promise<readonly FileProblem[]> {
  const startedAt = Date.now();
  const { files, problems } = walkLibrary(roots, archive);
  const unreadable: FileProblem[] = [...problems];
  const noted = notedFiles(db);
  const paths = new Set(files.map(({ path }) => path));
  for (const path of noted.keys()) if (!paths.has(path)) forgetFile(db, path);
  for (const file of files) {
    const place = noted.get(file.path);
    if (place && isSameState(place, file)) continue;
    try {
      await noteFile(db, file);
    } catch (error) {
      if (isSqliteError(error)) throw error;
      unreadable.push({ path: file.path, reason: reasonOf(error) });
    }
  }
  forgetOld(db);
  writeMeta(db, "refreshed", startedAt);
  return unreadable;
}
