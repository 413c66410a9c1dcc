import { attempt, type FileProblem } from "../../format/layout/folder-listing.js";
import type { Database } from "../../store/sqlite.js";
import type { LibraryChanges } from "../catalog/library-changes.js";
import { fileNameKey } from "../catalog/write-numbers.js";
import type { Archive } from "../found-session.js";
import { belowRoots, boundsOf } from "../sources/below-roots.js";
import { filesThatMayHold, findRipgrep } from "../sources/ripgrep.js";
import { createOpener, type LibraryFile, ownerOf, walkLibrary } from "../sources/walk-library.js";

/** Where the sessions of a library are, and what is known of them. */
export interface SearchedSessions {
  readonly roots: readonly string[];
  readonly archive: Archive | undefined;
  readonly db: Database | undefined;
  /** How the files differ from the catalog, where it was not brought up to date. */
  readonly behind: LibraryChanges | undefined;
}

/** A session that may have changed a file, itself or by a sub-agent. */
export interface ChangingSession {
  readonly path: string;
  /** The file to read it from. */
  open(): string;
}

/**
 * The sessions that may have changed a file with one of these names (without folders). What the catalog does not know is looked
 * through for the names. `since` leaves out sessions that the catalog knows to have ended before.
 */
export function findChangingSessions(
  names: readonly string[],
  { roots, archive, db, behind }: SearchedSessions,
  problems: FileProblem[],
  since?: number, // ms since the epoch
): ChangingSession[] {
  const found = new Map<string, () => string>();
  const open = createOpener(archive);
  const gone = new Set([...(behind?.gone ?? []), ...(behind?.stale ?? []).map(({ path }) => path)]);
  for (const { path, owner, archive: folder } of db ? readChanged(db, roots, names, since) : []) {
    if (!gone.has(path)) found.set(owner ?? path, () => open(owner ?? path, folder));
  }
  const unknown = db ? (behind?.stale ?? []) : walkLibrary(roots, archive).files;
  const byPath = new Map(unknown.map((file) => [file.path, file]));
  for (const path of namingFiles(names, unknown)) {
    const file = byPath.get(path);
    const owner = file && (attempt(path, problems, () => ownerOf(file, problems).path) ?? path);
    if (owner !== undefined) found.set(owner, byPath.get(owner)?.open ?? (() => open(owner, null)));
  }
  return Array.from(found, ([path, openSession]) => ({ path, open: openSession }));
}

interface ChangedRow {
  readonly path: string;
  readonly owner: string | null;
  readonly archive: string | null;
}

function readChanged(
  db: Database,
  roots: readonly string[],
  names: readonly string[],
  since: number | undefined,
): ChangedRow[] {
  const after = since === undefined ? "" : new Date(since).toISOString();
  const sql = `SELECT DISTINCT f.path, f.owner, f.archive FROM changed c JOIN files f ON f.id = c.file
    LEFT JOIN sessions s ON s.file = f.id
    WHERE coalesce(s.ended, '~') >= ? AND c.name IN (SELECT value FROM json_each(?)) AND ${belowRoots(roots, "f.path")}`;
  return db.prepare<ChangedRow>(sql).all(after, JSON.stringify(names.map(fileNameKey)), ...boundsOf(roots));
}

/** Files of which the bytes hold a name. Without ripgrep, and of the archive, all. */
function namingFiles(names: readonly string[], files: readonly LibraryFile[]): Set<string> {
  const ripgrep = findRipgrep();
  const isPlain = ({ archive }: LibraryFile) => archive === null && ripgrep !== undefined;
  const plain = files.filter(isPlain).map(({ path }) => path);
  const texts = names.map((name) => JSON.stringify(name).slice(1, -1));
  const named = ripgrep === undefined ? [] : texts.flatMap((text) => filesThatMayHold(ripgrep, text, plain));
  return new Set([...named, ...files.filter((file) => !isPlain(file)).map(({ path }) => path)]);
}
