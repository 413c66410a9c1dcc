import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";

/** Everything below a folder: bytes, modes, times, links. Equal trees are equal to the millisecond. */
export function treeOf(folder: string): Record<string, object> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
  return Object.fromEntries(names.toSorted().map((path) => [relative(folder, path), describe(path)]));
}

function describe(path: string): object {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return { link: readlinkSync(path) };
  const mode = (stats.mode & 0o777).toString(8);
  if (stats.isDirectory()) return { mode };
  return { mode, bytes: readFileSync(path, "latin1"), mtime: Math.round(stats.mtimeMs) };
}
