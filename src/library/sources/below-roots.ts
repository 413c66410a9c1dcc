import { sep } from "node:path";
import type { Database } from "../../store/sqlite.js";
import type { UserData } from "../found-session.js";

/** Whether a path is below one of the roots. */
export function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path.startsWith(lowerBound(root)));
}

/** Whether all files of the index are below the roots, without reading their names. */
export function hasOnlyFilesBelow(db: Database, roots: readonly string[]): boolean {
  const starts = [...new Set(roots.map(lowerBound))];
  const outer = starts.filter((start) => !starts.some((other) => other !== start && start.startsWith(other)));
  if (outer.length === 0) return false;
  const borders = boundsOf(outer).sort(); // lower and upper bounds alternate
  const between = ["path < ?", ...outer.slice(1).map(() => "path >= ? AND path < ?"), "path >= ?"];
  const other = between.map((range) => `EXISTS (SELECT 1 FROM files WHERE ${range})`).join(" OR ");
  return db.prepare<{ other: number }>(`SELECT ${other} AS other`).get(...borders)?.other === 0;
}

/** Counts the files of the index below the roots that satisfy a condition. */
export function countFilesBelow(db: Database, roots: readonly string[], condition: string): number {
  const sql = `SELECT count(*) AS count FROM files WHERE ${condition} AND ${belowRoots(roots, "path")}`;
  return db.prepare<{ count: number }>(sql).get(...boundsOf(roots))?.count ?? 0;
}

/** A SQL condition on a path; `boundsOf` returns its parameters. */
export function belowRoots(roots: readonly string[], path: string): string {
  return roots.length === 0 ? "FALSE" : `(${roots.map(() => `(${path} >= ? AND ${path} < ?)`).join(" OR ")})`;
}

export function boundsOf(roots: readonly string[]): string[] {
  return roots.flatMap((root) => [lowerBound(root), upperBound(lowerBound(root))]);
}

function lowerBound(root: string): string {
  return root.endsWith(sep) ? root : root + sep;
}

/** The first text after all those that start with this one. */
function upperBound(start: string): string {
  return start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
}

/** The name of the source that a file is in; null for Claude Code's own folders. */
export function sourceOf(path: string, { sources }: UserData): string | null {
  for (const [root, name] of sources ?? []) if (isBelow(path, [root])) return name;
  return null;
}
