import { isGrowing } from "../activity.js";
import { cursorOf, type FileRow } from "../catalog/file-rows.js";
import type { LibraryFile } from "../sources/walk-library.js";
import type { IndexWriter } from "./index-writer.js";
import { type EntryOutcome, type EntryRequest, readEntry } from "./read-entry.js";

/**
 * Brings the catalog up to date with one file and yields the number of bytes after each piece. What was read is written at the
 * end, so the work may be committed or stopped in between.
 */
export function* catalogFile(writer: IndexWriter, file: LibraryFile, row: FileRow, now: number): Generator<number> {
  saveEntry(writer, file, row, yield* readEntry(requestOf(writer, file, row, now)));
}

/** What a reader has to know of a file. */
export function requestOf(writer: IndexWriter, file: LibraryFile, row: FileRow, now: number): EntryRequest {
  const cursor = cursorOf(row);
  const isCounted = row.is_counted === 1 && row.problem === null && row.title_state === file.titleState;
  return {
    path: file.path,
    openPath: file.open(),
    isAgent: file.agent !== undefined,
    isGrowing: isGrowing(file.mtimeMs, now),
    known: cursor && { cursor, isCounted, snapshot: writer.snapshotOf(row.id) },
  };
}

export function saveEntry(writer: IndexWriter, file: LibraryFile, { id }: FileRow, entry: EntryOutcome): void {
  if (entry === "missing") return;
  if (entry === "unchanged") {
    writer.saveState(id, file);
    return;
  }
  if (entry.isRestarted) writer.forgetContent(id);
  writer.saveReplaced(id, entry.replaced);
  writer.saveCursor(id, entry.cursor);
  if (entry.snapshot !== undefined) writer.saveSnapshot(id, entry.snapshot ?? undefined);
  const titleBefore = writer.numbers.titleOf(id);
  writer.numbers.write(id, entry.numbers);
  const title = entry.numbers.session?.[2];
  if (title !== undefined) writer.docs.setTitle(id, title, titleBefore);
  writer.saveCounted(id, file, entry.brokenLines);
}
