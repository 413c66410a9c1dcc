import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isFileError, reasonOf, UserError } from "../../errors.js";
import { type FileProblem, isFolder, mayExist } from "../../format/layout/folder-listing.js";
import { ensureDataDir } from "../../store/data-dir.js";
import { type Lock, tryLock } from "../../store/lock.js";
import { type Retention, updateArchive } from "../archive/update-archive.js";
import { type FileRow, isCurrent, readFileRow, readFileRows } from "../catalog/file-rows.js";
import { type Index, orUnusable, readMeta, toUnusable, UnusableIndex, writeMeta } from "../catalog/open-index.js";
import { type Archive, openArchive } from "../found-session.js";
import { findSessions } from "../sources/find-sessions.js";
import { type LibraryFile, ownerOf, walkLibrary } from "../sources/walk-library.js";
import { mergeTexts } from "../text-index/write-docs.js";
import { indexFile } from "./index-file.js";
import { createIndexWriter, type IndexWriter } from "./index-writer.js";
import { type AppendedFiles, findAppended, findUncertain, planSync, type SyncPlan } from "./plan-sync.js";
import { saveWalkCheckpoint } from "./walk-checkpoint.js";

export interface SharedSyncOptions extends Omit<SyncOptions, "archive"> {
  /** Copies of what changed are to be kept. */
  readonly retention?: Retention | undefined;
  /** What a person should know, in one line. */
  onNote?(note: string): void;
  /** An index that another process is still building will do. */
  readonly acceptsPartial?: boolean;
}

/** Brings the index up to date; undefined when another process is at it. */
export async function syncUnlessBusy(
  index: Index,
  dataFolder: string,
  roots: readonly string[],
  options: SharedSyncOptions,
): Promise<SyncResult | undefined> {
  const lock = orUnusable(() => lockIndex(dataFolder));
  if (!lock) {
    if (!options.acceptsPartial && !hasSynced(index, roots))
      throw new UnusableIndex("another turnlog is building the index");
    options.onNote?.("another turnlog is indexing; the newest may be missing");
    return undefined;
  }
  try {
    const archive = openArchive(dataFolder);
    const sync = await syncIndex(index, roots, { ...options, archive });
    if (!options.retention) return sync;
    const problems = [...sync.problems];
    archiveChangedSessions(index, dataFolder, roots, options.retention, problems);
    return { ...sync, problems };
  } catch (error) {
    throw toUnusable(error);
  } finally {
    lock.release();
  }
}

export interface SyncOptions {
  readonly now?: number; // ms since the epoch
  /** Where copies of sessions are that their client deleted. */
  readonly archive?: Archive | undefined;
  /** Somebody watched, and saw these files grow, or sub-agents begin, and nothing else: where the index agrees, no other file is looked at. */
  readonly grown?: readonly string[] | undefined;
  /** So many bytes at once: fewer for those who have questions to answer in between. */
  readonly batchBytes?: number;
  onProgress?(progress: SyncProgress): void;
  /** Stops after the batch at hand; what is done stays done. */
  readonly signal?: AbortSignal;
}

export interface SyncProgress {
  readonly files: number;
  readonly filesDone: number;
  readonly bytes: number;
  readonly bytesDone: number;
}

export interface SyncResult {
  readonly added: number;
  readonly changed: number;
  readonly moved: number;
  readonly removed: number;
  /** Sessions of which only side files survive. */
  readonly withoutTranscript: number;
  readonly problems: readonly FileProblem[];
}

/** One transaction takes so many bytes: each leaves a piece that search looks through, and what is not done is lost when the machine stops. */
const BATCH_BYTES = 96 * 1024 * 1024;

/** Makes the index equal to what lies below the roots. Only the process that holds the index lock may call it. */
export async function syncIndex(
  index: Index,
  roots: readonly string[],
  options: SyncOptions = {},
): Promise<SyncResult> {
  const now = options.now ?? Date.now();
  const grown = options.grown && findAppended(index.db, options.grown);
  if (grown) return syncGrown(index, grown, options, now);
  const walk = walkLibrary(roots, options.archive);
  if (readMeta(index.db, walkKeyOf(roots)) === walk.fingerprint) {
    const { problems, withoutTranscript } = walk;
    saveWalkCheckpoint(index.db, roots, walk, now, options.archive);
    return { added: 0, changed: 0, moved: 0, removed: 0, withoutTranscript, problems };
  }
  const writer = createIndexWriter(index.db);
  const problems = [...walk.problems];
  const known = readFileRows(index.db);
  const plan = planSync(walk, known, {
    presentRoots: roots.filter((root) => isFolder(root, [])),
    isThere: mayExist,
  });
  const uncertain = findUncertain(walk, known, plan);
  index.db.transaction(() => {
    applyPlan(writer, plan, problems);
    for (const file of walk.files) if (hasMovedToArchive(known.get(file.path), file)) writer.setArchive(file);
    for (const file of uncertain) writer.moveFile(rowOf(known, file).id, file, ownerOf(file, problems));
  });
  const rows = readFileRows(index.db);
  const stale = walk.files.filter((file) => !isCurrent(rowOf(rows, file), file)).sort(oldestFirst);
  await indexFiles(index, stale, readAll(writer, stale, rows, now, problems), options);
  if (!options.signal?.aborted) {
    writeMeta(index.db, walkKeyOf(roots), problems.length === 0 ? walk.fingerprint : "");
    saveWalkCheckpoint(index.db, roots, { ...walk, problems }, now, options.archive);
  }
  const { added, moved, gone } = plan;
  const isNewOrUnread = new Set([...added, ...problems].map(({ path }) => path));
  return {
    added: added.length,
    changed: stale.filter(({ path }) => !isNewOrUnread.has(path)).length,
    moved: moved.length,
    removed: gone.length,
    withoutTranscript: walk.withoutTranscript,
    problems,
  };
}

/** The next walk will see another fingerprint, and find these files as they are. */
async function syncGrown(
  index: Index,
  { files, added }: AppendedFiles,
  options: SyncOptions,
  now: number,
): Promise<SyncResult> {
  const problems: FileProblem[] = [];
  const writer = createIndexWriter(index.db);
  index.db.transaction(() => applyPlan(writer, { added, moved: [], gone: [] }, problems));
  const stale = [...files, ...added];
  const rows = new Map(stale.flatMap(({ path }) => readFileRow(index.db, path) ?? []).map((row) => [row.path, row]));
  await indexFiles(index, stale, readAll(writer, stale, rows, now, problems), options);
  return { added: added.length, changed: files.length, moved: 0, removed: 0, withoutTranscript: 0, problems };
}

/** Now in the archive alone, or back from there. */
function hasMovedToArchive(row: FileRow | undefined, { archive }: LibraryFile): boolean {
  return row !== undefined && row.archive !== archive;
}

/** Whether the roots were read to their end before. */
function hasSynced({ db }: Index, roots: readonly string[]): boolean {
  return readMeta(db, walkKeyOf(roots)) !== undefined;
}

function walkKeyOf(roots: readonly string[]): string {
  return `walk ${roots.join("\n")}`;
}

/** The newest texts get the highest numbers, by which search finds them first. */
function oldestFirst(a: LibraryFile, b: LibraryFile): number {
  return a.mtimeMs - b.mtimeMs || (a.path < b.path ? -1 : 1);
}

function rowOf(rows: ReadonlyMap<string, FileRow>, { path }: LibraryFile): FileRow {
  const row = rows.get(path);
  if (!row) throw new Error(`the index has no row for ${path}`);
  return row;
}

/** Files come, go and change their names, all at once. */
function applyPlan(writer: IndexWriter, { added, moved, gone }: SyncPlan, problems: FileProblem[]): void {
  for (const { id } of gone) writer.removeFile(id);
  for (const { row, file } of moved) writer.moveFile(row.id, file, ownerOf(file, problems));
  for (const file of added) writer.addFile(file, ownerOf(file, problems));
}

/** What each yielded piece added to the index, in bytes. */
function* readAll(
  writer: IndexWriter,
  files: readonly LibraryFile[],
  rows: ReadonlyMap<string, FileRow>,
  now: number,
  problems: FileProblem[],
): Generator<{ readonly bytes: number; readonly isDone: boolean }> {
  for (const file of files) {
    const row = rowOf(rows, file);
    const isRewritten = row.is_counted === 1 && row.size === file.size && row.mtime !== file.mtimeMs;
    if (isRewritten) writer.forgetContent(row.id);
    try {
      const known = isRewritten ? { ...row, cursor: null, is_counted: 0 } : row;
      for (const bytes of indexFile(writer, file, known, now)) yield { bytes, isDone: false };
    } catch (error) {
      const reason = readProblem(error);
      problems.push({ path: file.path, reason });
      writer.saveProblem(row.id, file, reason);
    }
    yield { bytes: 0, isDone: true };
  }
}

/** One unreadable file does not stop the others; everything else does. */
function readProblem(error: unknown): string {
  if (error instanceof UserError || isFileError(error)) return reasonOf(error);
  throw error;
}

async function indexFiles(
  { db }: Index,
  files: readonly LibraryFile[],
  pieces: Generator<{ readonly bytes: number; readonly isDone: boolean }>,
  { batchBytes = BATCH_BYTES, onProgress, signal }: SyncOptions,
): Promise<void> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  let bytesDone = 0;
  let filesDone = 0;
  for (let isMore = files.length > 0; isMore && !signal?.aborted; ) {
    const batchEnd = bytesDone + batchBytes;
    isMore = db.transaction(() => {
      while (bytesDone < batchEnd) {
        const { value, done } = pieces.next();
        if (done) return false;
        bytesDone += value.bytes;
        if (value.isDone) filesDone += 1;
        onProgress?.({ files: files.length, filesDone, bytes, bytesDone });
      }
      return true;
    });
    await nextTurn();
  }
  if (bytesDone > BATCH_BYTES) await mergeTexts(db, signal);
}

/** Undefined when another process is at it. */
export function lockIndex(dataFolder: string): Lock | undefined {
  return tryLock(join(ensureDataDir(dataFolder, "locks"), "index.lock"), { purpose: "indexing" });
}

/** Archives the sessions that changed since they were archived last: nobody knows when a client will delete one. */
function archiveChangedSessions(
  { db }: Index,
  dataFolder: string,
  roots: readonly string[],
  retention: Retention,
  problems: FileProblem[],
): void {
  const changed = db
    .prepare<{ path: string }>(
      "SELECT DISTINCT coalesce(owner, path) AS path FROM files WHERE archive IS NULL AND kept IS NOT mtime",
    )
    .all();
  const paths = new Set(changed.map(({ path }) => path));
  const sessions = paths.size === 0 ? [] : findSessions(roots).sessions.filter(({ path }) => paths.has(path));
  const kept = sessions.length === 0 ? undefined : updateArchive(dataFolder, sessions, retention, problems);
  if (!kept) return;
  const setKept = db.prepare("UPDATE files SET kept = mtime WHERE coalesce(owner, path) = ?");
  db.transaction(() => {
    for (const path of kept.paths) setKept.run(path);
  });
}
