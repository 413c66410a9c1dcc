import type { FileRow } from "./file-row.js";
import { isBelow } from "./scope.js";
import type { LibraryFile, LibraryWalk } from "./walk-library.js";

/** How the files of the index differ from those on disk, by name and identity. */
export interface SyncPlan {
  readonly added: readonly LibraryFile[];
  readonly moved: readonly { readonly row: FileRow; readonly file: LibraryFile }[];
  readonly gone: readonly FileRow[];
}

/**
 * A file that cannot be seen now is not gone: folders that could not be listed keep their files, and so do the roots of
 * drives that are not there.
 */
export function planSync(
  walk: LibraryWalk,
  rows: ReadonlyMap<string, FileRow>,
  presentRoots: readonly string[],
): SyncPlan {
  const unlisted = walk.problems.map(({ path }) => path);
  const seen = new Set(walk.files.map(({ path }) => path));
  const missing = [...rows.values()].filter(
    ({ path }) =>
      !seen.has(path) && isBelow(path, presentRoots) && !isBelow(path, unlisted) && !unlisted.includes(path),
  );
  const byInode = new Map(missing.map((row) => [row.inode, row]));
  const added: LibraryFile[] = [];
  const moved: { row: FileRow; file: LibraryFile }[] = [];
  for (const file of walk.files) {
    if (rows.has(file.path)) continue;
    const row = byInode.get(file.inode);
    if (row) moved.push({ row, file });
    else added.push(file);
    byInode.delete(file.inode);
  }
  const kept = new Set(moved.map(({ row }) => row.id));
  return { added, moved, gone: missing.filter(({ id }) => !kept.has(id)) };
}
