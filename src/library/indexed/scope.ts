import { sep } from "node:path";
import type { Database } from "../../store/sqlite.js";

/** Whether a path lies below one of the roots. */
export function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path.startsWith(startOf(root)));
}

/** Whether the index has no file elsewhere; the names are not read for that. */
export function hasOnlyFilesBelow(db: Database, roots: readonly string[]): boolean {
  if (roots.length === 0) return false;
  const below = roots.map(() => "(path >= ? AND path < ?)").join(" OR ");
  const other = db.prepare(`SELECT 1 AS other FROM files WHERE NOT (${below}) LIMIT 1`);
  return other.get(...roots.flatMap((root) => [startOf(root), afterAll(startOf(root))])) === undefined;
}

function startOf(root: string): string {
  return root.endsWith(sep) ? root : root + sep;
}

/** The first text that no longer begins with this one. */
function afterAll(start: string): string {
  return start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
}
