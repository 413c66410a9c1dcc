import { isSameState } from "../../format/identity/file-identity.js";
import type { FileProblem } from "../../format/layout/folder-listing.js";
import type { Database } from "../../store/sqlite.js";
import type { Archive } from "../found-session.js";
import { isBelow } from "../sources/below-roots.js";
import { type LibraryFile, type LibraryWalk, walkLibrary } from "../sources/walk-library.js";
import { cursorOf, isCurrent, readFileRows, stateOfRow } from "./file-rows.js";

/** How the files on disk differ from the catalog; whoever answers from the catalog reads these files as well. */
export interface LibraryChanges {
  /** New, or changed since they were catalogued. */
  readonly stale: readonly LibraryFile[];
  /** The paths of files that no longer exist. */
  readonly gone: readonly string[];
  readonly withoutTranscript: number;
  readonly problems: readonly FileProblem[];
}

export const NO_CHANGES: LibraryChanges = { stale: [], gone: [], withoutTranscript: 0, problems: [] };

/** Without a catalog every file is new. */
export function findChanges(db: Database | undefined, roots: readonly string[], archive?: Archive): LibraryChanges {
  return compareWalk(db, roots, walkLibrary(roots, archive));
}

/** The same of a walk that was made. */
export function compareWalk(db: Database | undefined, roots: readonly string[], walk: LibraryWalk): LibraryChanges {
  const { files, withoutTranscript, problems } = walk;
  if (!db) return { stale: files, gone: [], withoutTranscript, problems };
  const rows = readFileRows(db);
  const seen = new Set(files.map(({ path }) => path));
  const stale = files.filter((file) => {
    const row = rows.get(file.path);
    return !row || !isCurrent(row, file);
  });
  const gone = [...rows.keys()].filter((path) => !seen.has(path) && isBelow(path, roots));
  return { stale, gone, withoutTranscript, problems };
}

/** What the index does not have yet, in bytes of session files. Files that could not be read as they are count as done. */
export interface MissingBytes {
  readonly catalog: number;
  readonly texts: number;
}

export function countMissing(db: Database, { stale }: LibraryChanges): MissingBytes {
  const rows = readFileRows(db);
  let catalog = 0;
  for (const file of stale) {
    const row = rows.get(file.path);
    const isUnreadable = row?.problem != null && isSameState(stateOfRow(row), file);
    const known = row ? (cursorOf(row)?.offset ?? 0) : 0;
    if (!isUnreadable) catalog += known < file.size ? file.size - known : row ? 0 : file.size;
  }
  const sql = `SELECT sum(json_extract(cursor, '$.offset') - text_offset) AS bytes FROM files
    WHERE is_counted = 1 AND problem IS NULL AND cursor IS NOT NULL`;
  return { catalog, texts: db.prepare<{ bytes: number | null }>(sql).get()?.bytes ?? 0 };
}
