import type { FileProblem } from "../../format/layout/folder-listing.js";
import type { Database } from "../../store/sqlite.js";
import type { Archive } from "../found-session.js";
import { isBelow } from "../sources/below-roots.js";
import { type LibraryFile, walkLibrary } from "../sources/walk-library.js";
import { isCurrent, readFileRows } from "./file-rows.js";

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
  const { files, withoutTranscript, problems } = walkLibrary(roots, archive);
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
