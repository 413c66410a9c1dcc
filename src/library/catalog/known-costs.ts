import { statSync } from "node:fs";
import { findSubagentFiles } from "../../format/layout/files-of-session.js";
import type { PriceTable } from "../../session/messages/cost.js";
import { pickCosts, type SessionCosts } from "../../session/session-spend.js";
import type { Database } from "../../store/sqlite.js";
import { readSummary } from "./list-catalog.js";
import { hasIndex, isIndexAtFault, openIndex } from "./open-index.js";

/**
 * What sessions spent, from the index as it is: only there is known which messages are copies and where they count.
 * Undefined where the index does not know the session as it is now.
 */
export function knownCosts(
  dataFolder: string,
  roots: readonly string[],
  prices?: PriceTable,
): (path: string) => SessionCosts | undefined {
  return (path) => {
    try {
      return hasIndex(dataFolder) ? readCosts(dataFolder, roots, path, prices) : undefined;
    } catch (error) {
      if (!isIndexAtFault(error)) throw error;
      return undefined;
    }
  };
}

function readCosts(
  dataFolder: string,
  roots: readonly string[],
  path: string,
  prices: PriceTable | undefined,
): SessionCosts | undefined {
  const index = openIndex(dataFolder);
  try {
    if (!isCounted(index.db, path)) return undefined;
    const summary = readSummary(index.db, roots, path, prices === undefined ? {} : { prices });
    if (!summary || summary.subagents !== findSubagentFiles(path).subagents.length) return undefined;
    return pickCosts(summary);
  } finally {
    index.close();
  }
}

/** Whether the numbers of the session's files are those of the files on disk. */
function isCounted(db: Database, path: string): boolean {
  const files = db
    .prepare<{ path: string; size: number; mtime: number; isCounted: number }>(
      "SELECT path, size, mtime, is_counted AS isCounted FROM files WHERE path = ? OR owner = ?",
    )
    .all(path, path);
  return files.every((file) => {
    const now = statSync(file.path, { throwIfNoEntry: false });
    return file.isCounted === 1 && now?.size === file.size && now.mtimeMs === file.mtime;
  });
}
