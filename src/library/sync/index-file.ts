import { attempt } from "../../format/layout/folder-listing.js";
import type { Database } from "../../store/sqlite.js";
import { isGrowing } from "../activity.js";
import { cursorOf, type FileRow } from "../catalog/file-rows.js";
import type { FileToRead } from "../entries/read-entries.js";
import { type EntryOutcome, EntryReading, type EntryRequest } from "../entries/read-entry.js";
import type { LibraryFile } from "../sources/walk-library.js";
import type { IndexWriter } from "./index-writer.js";

/** A file as it is read for the catalog; with `live`, on from where it was left. */
export function toFileToRead(
  writer: IndexWriter,
  file: LibraryFile,
  row: FileRow,
  now: number,
  live?: LiveReadings,
): FileToRead {
  const isNew = row.cursor === null && file.archive === null;
  return {
    size: file.size,
    fresh: isNew && !live ? attempt(file.path, [], () => toNewFile(file, now)) : undefined,
    *read() {
      const request = { ...toNewFile(file, now), known: knownOf(writer, file, row) };
      const reading = live?.take(request) ?? new EntryReading(request);
      try {
        const entry = yield* reading.read(request);
        if (typeof entry === "object" && reading.canContinue) live?.keep(file.path, reading);
        return entry;
      } finally {
        reading.close();
      }
    },
  };
}

/** The sessions that are being written, kept in memory by a process that follows them: each is read on, not again. */
export interface LiveReadings {
  /** The reading of a file, if it ended where the catalog does. */
  take(request: EntryRequest): EntryReading | undefined;
  keep(path: string, reading: EntryReading): void;
}

const MAX_LIVE_SESSIONS = 8;
const MAX_LIVE_BYTES = 64 * 1024 * 1024;

/** Those of an open index. */
export function liveReadingsOf(db: Database): LiveReadings {
  const known = liveReadings.get(db) ?? createLiveReadings();
  liveReadings.set(db, known);
  return known;
}

const liveReadings = new WeakMap<Database, LiveReadings>();

function createLiveReadings(): LiveReadings {
  const kept = new Map<string, EntryReading>(); // the one that was used last is the last
  return {
    take({ path, openPath, known }) {
      const reading = kept.get(path);
      kept.delete(path);
      return reading && known && reading.isAt(openPath, known.cursor) ? reading : undefined;
    },
    keep(path, reading) {
      if (reading.cursor.offset > MAX_LIVE_BYTES) return;
      kept.set(path, reading);
      const [oldest = ""] = kept.keys();
      if (kept.size > MAX_LIVE_SESSIONS) kept.delete(oldest);
    },
  };
}

function toNewFile(file: LibraryFile, now: number): Omit<EntryRequest, "known"> {
  return {
    path: file.path,
    openPath: file.open(),
    isAgent: file.agent !== undefined,
    isGrowing: isGrowing(file.mtimeMs, now),
  };
}

function knownOf(writer: IndexWriter, file: LibraryFile, row: FileRow): EntryRequest["known"] {
  const cursor = cursorOf(row);
  const isCounted = row.is_counted === 1 && row.problem === null && row.title_state === file.titleState;
  return cursor && { cursor, isCounted, snapshot: () => writer.snapshotOf(row.id) };
}

/** Brings the catalog up to date with a file that was read. */
export function saveEntry(writer: IndexWriter, file: LibraryFile, { id }: FileRow, entry: EntryOutcome): void {
  if (entry === "missing") return;
  if (entry === "unchanged") {
    writer.saveState(id, file);
    return;
  }
  if (entry.isRestarted) writer.forgetContent(id);
  writer.saveReplaced(id, entry.replaced);
  if (entry.snapshot !== undefined) writer.saveSnapshot(id, entry.snapshot ?? undefined);
  const titleBefore = writer.numbers.titleOf(id);
  writer.numbers.write(id, entry.numbers);
  const title = entry.numbers.session?.[2];
  if (title !== undefined) writer.docs.setTitle(id, title, titleBefore);
  writer.saveCursor(id, file, entry.cursor, entry.brokenLines);
}
