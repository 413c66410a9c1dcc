import { setImmediate as nextTurn } from "node:timers/promises";
import { UserError } from "../../errors.js";
import { isFileError, reasonOf } from "../../format/file-error.js";
import { type FileProblem, isFolder, mayBeThere } from "../../format/folder-listing.js";
import type { Archive } from "../archive-place.js";
import { ownerOf } from "./file-owner.js";
import { type FileRow, isCurrent, readFileRow, readFileRows } from "./file-row.js";
import { findGrown, type GrownFiles } from "./find-grown.js";
import { indexFile } from "./index-file.js";
import { createIndexWriter, type IndexWriter } from "./index-writer.js";
import { noteWalk } from "./last-walk.js";
import type { LibraryFile } from "./library-file.js";
import { mergeTexts } from "./merge-texts.js";
import { readMeta, writeMeta } from "./meta.js";
import type { Index } from "./open-index.js";
import { findUncertain, planSync, type SyncPlan } from "./plan-sync.js";
import { walkLibrary } from "./walk-library.js";

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
  const grown = options.grown && findGrown(index.db, options.grown);
  if (grown) return syncGrown(index, grown, options, now);
  const walk = walkLibrary(roots, options.archive);
  if (readMeta(index.db, walkKey(roots)) === walk.fingerprint) {
    const { problems, withoutTranscript } = walk;
    noteWalk(index.db, roots, walk, now, options.archive);
    return { added: 0, changed: 0, moved: 0, removed: 0, withoutTranscript, problems };
  }
  const writer = createIndexWriter(index.db);
  const problems = [...walk.problems];
  const known = readFileRows(index.db);
  const plan = planSync(walk, known, {
    presentRoots: roots.filter((root) => isFolder(root, [])),
    isThere: mayBeThere,
  });
  const uncertain = findUncertain(walk, known, plan);
  index.db.transaction(() => {
    adopt(writer, plan, problems);
    for (const file of walk.files) if (isElsewhere(known.get(file.path), file)) writer.setArchive(file);
    for (const file of uncertain) writer.moveFile(rowOf(known, file).id, file, ownerOf(file, problems));
  });
  const rows = readFileRows(index.db);
  const stale = walk.files.filter((file) => !isCurrent(rowOf(rows, file), file)).sort(oldestFirst);
  await indexFiles(index, stale, readAll(writer, stale, rows, now, problems), options);
  if (!options.signal?.aborted) {
    writeMeta(index.db, walkKey(roots), problems.length === 0 ? walk.fingerprint : "");
    noteWalk(index.db, roots, { ...walk, problems }, now, options.archive);
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
  { files, added }: GrownFiles,
  options: SyncOptions,
  now: number,
): Promise<SyncResult> {
  const problems: FileProblem[] = [];
  const writer = createIndexWriter(index.db);
  index.db.transaction(() => adopt(writer, { added, moved: [], gone: [] }, problems));
  const stale = [...files, ...added];
  const rows = new Map(stale.flatMap(({ path }) => readFileRow(index.db, path) ?? []).map((row) => [row.path, row]));
  await indexFiles(index, stale, readAll(writer, stale, rows, now, problems), options);
  return { added: added.length, changed: files.length, moved: 0, removed: 0, withoutTranscript: 0, problems };
}

/** Now in the archive alone, or back from there. */
function isElsewhere(row: FileRow | undefined, { archive }: LibraryFile): boolean {
  return row !== undefined && row.archive !== archive;
}

/** Whether the roots were read to their end before. */
export function hasSynced({ db }: Index, roots: readonly string[]): boolean {
  return readMeta(db, walkKey(roots)) !== undefined;
}

function walkKey(roots: readonly string[]): string {
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
function adopt(writer: IndexWriter, { added, moved, gone }: SyncPlan, problems: FileProblem[]): void {
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
