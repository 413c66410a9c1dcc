import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type FileProblem, isFolder, mayExist } from "../../format/layout/folder-listing.js";
import { ensureDataDir } from "../../store/data-dir.js";
import { adviceAbout, type Lock, tryLock } from "../../store/lock.js";
import type { Database } from "../../store/sqlite.js";
import { type Retention, updateArchive } from "../archive/update-archive.js";
import { type FileRow, isCurrent, readFileRow, readFileRows } from "../catalog/file-rows.js";
import { type Index, orUnusable, readMeta, toUnusable, UnusableIndex, writeMeta } from "../catalog/open-index.js";
import { isUnreadable, type ReadFile, readEntries, type StartThread } from "../entries/read-entries.js";
import { type Archive, openArchive } from "../found-session.js";
import { findSessions } from "../sources/find-sessions.js";
import { type LibraryFile, type LibraryWalk, ownerOf, walkLibrary } from "../sources/walk-library.js";
import { mergeTexts } from "../text-index/write-docs.js";
import { type LiveReadings, liveReadingsOf, saveEntry, toFileToRead } from "./index-file.js";
import { type IndexWriter, indexWriterOf } from "./index-writer.js";
import { type AppendedFiles, findAppended, findUncertain, planSync, type SyncPlan } from "./plan-sync.js";
import { indexTexts, type PendingTexts, pendingTexts, type WantedTexts } from "./sync-texts.js";
import { saveWalkCheckpoint } from "./walk-checkpoint.js";

export interface SharedSyncOptions extends Omit<SyncOptions, "archive"> {
  /** Archive the sessions that changed, and drop what these settings no longer keep. */
  readonly retention?: Retention | undefined;
  /** Called with one line for the user. */
  onNote?(note: string): void;
  /** Why the index is locked; default: `indexing`. */
  readonly purpose?: string;
  /** Accept an index that another process is still building: what it does not have, the caller reads from the files. */
  readonly acceptsPartial?: boolean;
}

/** Locks the index and brings it up to date; undefined while another process does so. */
export async function lockAndSync(
  index: Index,
  dataFolder: string,
  roots: readonly string[],
  options: SharedSyncOptions,
): Promise<SyncResult | undefined> {
  const lock = orUnusable(() => lockIndex(dataFolder, options.purpose));
  if (!lock) {
    const advice = adviceAbout(indexLockPath(dataFolder));
    if (!options.acceptsPartial && !hasSynced(index, roots))
      throw new UnusableIndex(`another turnlog is building the index${advice}`);
    if (!options.acceptsPartial)
      options.onNote?.(`another turnlog is updating the index; the newest sessions may be missing${advice}`);
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
  /** Also index sessions that only the archive still has. */
  readonly archive?: Archive | undefined;
  /** Files the watcher reported as appended, or as new sub-agents; where the index agrees, the full walk is skipped. */
  readonly grown?: readonly string[] | undefined;
  /** A walk of the roots that was just made. */
  readonly walk?: LibraryWalk | undefined;
  /** Default: `all`. */
  readonly texts?: WantedTexts;
  /** Bytes per transaction; a server takes less, to answer requests in between. */
  readonly batchBytes?: number;
  /** For a thread on each core where there is much to read; without it, all is done in this one. */
  readonly startThread?: StartThread | undefined;
  onProgress?(progress: SyncProgress): void;
  /** Stops after the current batch; finished batches stay committed. */
  readonly signal?: AbortSignal;
}

export interface SyncProgress {
  /** First the catalog of all sessions, then their texts. */
  readonly phase: "catalog" | "texts";
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
  /** Sessions whose transcript is missing and only side files are left. */
  readonly withoutTranscript: number;
  readonly problems: readonly FileProblem[];
}

/** Each transaction leaves a full-text segment that search has to read; an interrupted one is lost. */
const BATCH_BYTES = 48 * 1024 * 1024;

/** Makes the index match the files below the roots: first the catalog, then the texts. The caller must hold the index lock. */
export async function syncIndex(
  index: Index,
  roots: readonly string[],
  options: SyncOptions = {},
): Promise<SyncResult> {
  const now = options.now ?? Date.now();
  const appended = options.grown && findAppended(index.db, options.grown, options.archive);
  const result = await (appended
    ? syncAppended(index, appended, options, now)
    : syncCatalog(index, roots, options, now));
  const { db } = index;
  const pending = pendingTexts(db, roots, options.texts ?? "all", now, options.archive);
  const bytes = await runPieces(db, sizeOfTexts(pending), readTexts(index, pending), options);
  if (bytes > MERGED_BYTES) {
    await mergeTexts(db, options.signal);
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)"); // the log of a long build would stay as long as the longest transaction made it
  }
  return result;
}

/** After a longer build its segments are merged: see `mergeTexts`. */
const MERGED_BYTES = 96 * 1024 * 1024;

async function syncCatalog(
  index: Index,
  roots: readonly string[],
  options: SyncOptions,
  now: number,
): Promise<SyncResult> {
  const walk = options.walk ?? walkLibrary(roots, options.archive);
  if (isWalkKnown(index.db, roots, walk)) {
    const { problems, withoutTranscript } = walk;
    saveWalkCheckpoint(index.db, roots, walk, now, options.archive);
    return { added: 0, changed: 0, moved: 0, removed: 0, withoutTranscript, problems };
  }
  const writer = indexWriterOf(index.db);
  const problems = [...walk.problems];
  const known = readFileRows(index.db);
  const plan = planSync(walk, known, {
    presentRoots: roots.filter((root) => isFolder(root, [])),
    mayExist: (path) => mayExist(path) && !isFolder(path, []),
  });
  const uncertain = findUncertain(walk, known, plan);
  index.db.transaction(() => {
    applyPlan(writer, plan, problems);
    for (const file of walk.files) if (isArchivedDifferently(known.get(file.path), file)) writer.setArchive(file);
    for (const file of uncertain) writer.moveFile(rowOf(known, file).id, file, ownerOf(file, problems));
  });
  const rows = readFileRows(index.db);
  const stale = walk.files.filter((file) => !isCurrent(rowOf(rows, file), file)).sort(newestFirst);
  const reread = await catalogAll(index.db, stale, rows, { now, problems }, options);
  if (!options.signal?.aborted) {
    writeMeta(index.db, walkKeyOf(roots), problems.length === 0 ? walk.fingerprint : "");
    saveWalkCheckpoint(index.db, roots, { ...walk, problems }, now, options.archive);
  }
  const { added, moved, gone } = plan;
  const isNewOrUnread = new Set([...added, ...problems].map(({ path }) => path));
  return {
    added: added.length,
    changed: [...reread].filter(({ path }) => !isNewOrUnread.has(path)).length,
    moved: moved.length,
    removed: gone.length,
    withoutTranscript: walk.withoutTranscript,
    problems,
  };
}

/** Leaves the fingerprint of the last walk alone: the next full walk differs from it and checks these files again. */
async function syncAppended(
  index: Index,
  { files, added }: AppendedFiles,
  options: SyncOptions,
  now: number,
): Promise<SyncResult> {
  const problems: FileProblem[] = [];
  const writer = indexWriterOf(index.db);
  if (added.length > 0) index.db.transaction(() => applyPlan(writer, { added, moved: [], gone: [] }, problems));
  const stale = [...files, ...added];
  const rows = new Map(stale.flatMap(({ path }) => readFileRow(index.db, path) ?? []).map((row) => [row.path, row]));
  const reading = { now, problems, live: liveReadingsOf(index.db) };
  const reread = await catalogAll(index.db, stale, rows, reading, options);
  return {
    added: added.length,
    changed: files.filter((file) => reread.has(file)).length,
    moved: 0,
    removed: 0,
    withoutTranscript: 0,
    problems,
  };
}

/** Moved into the archive, or restored from it. */
function isArchivedDifferently(row: FileRow | undefined, { archive }: LibraryFile): boolean {
  return row !== undefined && row.archive !== archive;
}

/** Whether a sync of these roots was ever completed. */
function hasSynced({ db }: Index, roots: readonly string[]): boolean {
  return readMeta(db, walkKeyOf(roots)) !== undefined;
}

/** Whether the catalog has all files of a walk as they are now. */
export function isWalkKnown(db: Database, roots: readonly string[], { fingerprint }: LibraryWalk): boolean {
  return readMeta(db, walkKeyOf(roots)) === fingerprint;
}

function walkKeyOf(roots: readonly string[]): string {
  return `walk ${roots.join("\n")}`;
}

/** What was written last is asked for first. */
function newestFirst(a: LibraryFile, b: LibraryFile): number {
  return b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1);
}

function rowOf(rows: ReadonlyMap<string, FileRow>, { path }: LibraryFile): FileRow {
  const row = rows.get(path);
  if (!row) throw new Error(`the index has no row for ${path}`);
  return row;
}

function applyPlan(writer: IndexWriter, { added, moved, gone }: SyncPlan, problems: FileProblem[]): void {
  for (const { id } of gone) writer.removeFile(id);
  for (const { row, file } of moved) writer.moveFile(row.id, file, ownerOf(file, problems));
  for (const file of added) writer.addFile(file, ownerOf(file, problems));
}

interface CatalogReading {
  readonly now: number;
  readonly problems: FileProblem[];
  readonly live?: LiveReadings;
}

/** Reads the files and commits after every batch. Returns those of which something was read; others only have another state. */
async function catalogAll(
  db: Database,
  files: readonly LibraryFile[],
  rows: ReadonlyMap<string, FileRow>,
  { now, problems, live }: CatalogReading,
  { batchBytes = BATCH_BYTES, startThread, signal, onProgress }: SyncOptions,
): Promise<Set<LibraryFile>> {
  const writer = indexWriterOf(db);
  const { bytes } = sizeOfFiles(files);
  const jobs = files.map((file) => toFileToRead(writer, file, rowOf(rows, file), now, live));
  const reread = new Set<LibraryFile>();
  const unsaved: [LibraryFile, ReadFile][] = [];
  let [bytesDone, filesDone, savedBytes] = [0, 0, 0];
  const save = () => {
    if (unsaved.length > 0) db.transaction(() => saveAll(writer, unsaved.splice(0), rows, problems));
    savedBytes = bytesDone;
  };
  for await (const piece of readEntries(jobs, { startThread, pauseBytes: batchBytes, signal })) {
    bytesDone += piece.bytes;
    const file = piece.done && files[piece.done.at];
    if (piece.done && file) {
      filesDone += 1;
      unsaved.push([file, piece.done.outcome]);
      if (typeof piece.done.outcome === "object") reread.add(file);
    }
    onProgress?.({ phase: "catalog", files: files.length, filesDone, bytes, bytesDone });
    if (bytesDone - savedBytes >= batchBytes) save();
  }
  save();
  return reread;
}

function saveAll(
  writer: IndexWriter,
  read: readonly [LibraryFile, ReadFile][],
  rows: ReadonlyMap<string, FileRow>,
  problems: FileProblem[],
): void {
  for (const [file, outcome] of read) {
    const row = rowOf(rows, file);
    if (typeof outcome === "string" || !("problem" in outcome)) saveEntry(writer, file, row, outcome);
    else {
      problems.push({ path: file.path, reason: outcome.problem });
      writer.saveProblem(row.id, file, outcome.problem);
    }
  }
}

/** A file that cannot be read any more is left for the next sync. */
function* readTexts({ db }: Index, pending: readonly PendingTexts[]): Generator<Piece> {
  const writer = indexWriterOf(db);
  for (const file of pending) {
    try {
      for (const bytes of indexTexts(db, writer, file)) yield { bytes, isDone: false };
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    }
    yield { bytes: 0, isDone: true };
  }
}

interface Piece {
  readonly bytes: number;
  readonly isDone: boolean; // the file
}

interface WorkSize {
  readonly files: number;
  readonly bytes: number;
}

function sizeOfFiles(files: readonly LibraryFile[]): WorkSize {
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}

function sizeOfTexts(pending: readonly PendingTexts[]): WorkSize {
  return { files: pending.length, bytes: pending.reduce((sum, { row, end }) => sum + end.offset - row.text_offset, 0) };
}

/** Commits after every batch; returns the number of bytes that were read. */
async function runPieces(
  db: Database,
  { files, bytes }: WorkSize,
  pieces: Generator<Piece>,
  { batchBytes = BATCH_BYTES, onProgress, signal }: SyncOptions,
): Promise<number> {
  let bytesDone = 0;
  let filesDone = 0;
  for (let isMore = files > 0; isMore && !signal?.aborted; ) {
    const batchEnd = bytesDone + batchBytes;
    isMore = db.transaction(() => {
      while (bytesDone < batchEnd) {
        const { value, done } = pieces.next();
        if (done) return false;
        bytesDone += value.bytes;
        if (value.isDone) filesDone += 1;
        onProgress?.({ phase: "texts", files, filesDone, bytes, bytesDone });
      }
      return true;
    });
    await nextTurn();
  }
  return bytesDone;
}

/** Undefined while another process holds the lock. */
export function lockIndex(dataFolder: string, purpose = "indexing"): Lock | undefined {
  return tryLock(indexLockPath(dataFolder), { purpose });
}

export function indexLockPath(dataFolder: string): string {
  return join(ensureDataDir(dataFolder, "locks"), INDEX_LOCK);
}

export const INDEX_LOCK = "index.lock";

/** Archives the sessions that changed since they were last archived: Claude Code may delete them at any time. */
function archiveChangedSessions(
  { db }: Index,
  dataFolder: string,
  roots: readonly string[],
  retention: Retention,
  problems: FileProblem[],
): void {
  const changed = db
    .prepare<{ path: string }>(
      "SELECT DISTINCT coalesce(owner, path) AS path FROM files WHERE archive IS NULL AND is_kept = 0",
    )
    .all();
  const paths = new Set(changed.map(({ path }) => path));
  const sessions = paths.size === 0 ? [] : findSessions(roots).sessions.filter(({ path }) => paths.has(path));
  const kept = sessions.length === 0 ? undefined : updateArchive(dataFolder, sessions, retention, problems);
  if (!kept) return;
  const setKept = db.prepare("UPDATE files SET is_kept = 1 WHERE coalesce(owner, path) = ?");
  db.transaction(() => {
    for (const path of kept.paths) setKept.run(path);
  });
}
