import type { Archive } from "../found-session.js";
import { findChanges } from "./library-changes.js";
import { hasIndex, isIndexAtFault, openIndex } from "./open-index.js";

/** The titles of the sessions that did not change since they were catalogued, by path; none where there is no usable index. */
export function readTitles(
  dataFolder: string,
  roots: readonly string[],
  archive: Archive | undefined,
): ReadonlyMap<string, string> {
  if (!hasIndex(dataFolder)) return new Map();
  try {
    const { db, close } = openIndex(dataFolder);
    try {
      const sql = "SELECT f.path, s.title FROM sessions s JOIN files f ON f.id = s.file";
      const titles = new Map(
        db
          .prepare<{ path: string; title: string }>(sql)
          .all()
          .map(({ path, title }) => [path, title]),
      );
      for (const { path } of findChanges(db, roots, archive).stale) titles.delete(path);
      return titles;
    } finally {
      close();
    }
  } catch (error) {
    if (!isIndexAtFault(error)) throw error;
    return new Map();
  }
}
