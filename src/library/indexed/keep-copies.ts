import type { FileProblem } from "../../format/folder-listing.js";
import type { Retention } from "../archive-retention.js";
import { findSessions } from "../find-sessions.js";
import { keepArchive } from "../keep-archive.js";
import type { Index } from "./open-index.js";

/** Archives the sessions that changed since they were archived last: nobody knows when a client will delete one. */
export function keepCopies(
  { db }: Index,
  dataFolder: string,
  roots: readonly string[],
  retention: Retention,
  problems: FileProblem[],
): void {
  const changed = db
    .prepare<{ path: string }>(
      "SELECT DISTINCT coalesce(owner, path) AS path FROM files WHERE archive IS NULL AND kept IS NOT mtime",
    )
    .all();
  const paths = new Set(changed.map(({ path }) => path));
  const sessions = paths.size === 0 ? [] : findSessions(roots).sessions.filter(({ path }) => paths.has(path));
  const kept = sessions.length === 0 ? undefined : keepArchive(dataFolder, sessions, retention, problems);
  if (!kept) return;
  const setKept = db.prepare("UPDATE files SET kept = mtime WHERE coalesce(owner, path) = ?");
  db.transaction(() => {
    for (const path of kept.paths) setKept.run(path);
  });
}
