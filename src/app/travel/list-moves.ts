import { join, relative } from "node:path";
import type { MovedItem } from "../../edit/travel/move-session.js";
import { sessionPaths } from "../../format/layout/session-paths.js";
import { itemsOfSession } from "../../library/archive/session-items.js";
import type { FoundSession } from "../../library/found-session.js";

/** What is stored by session id, independent of the project, stays: backups of edited files, tasks, logs. */
export function listMoves(found: FoundSession, projectDir: string): MovedItem[] {
  const from = sessionPaths(found.path);
  return itemsOfSession(found)
    .filter(({ place }) => place === "project")
    .map(({ path, kind, mode }) => ({ path, kind, mode, to: join(projectDir, relative(from.projectDir, path)) }));
}
