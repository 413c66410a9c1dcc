import { messagesOf, readLibraryNumbers } from "../../../src/library/catalog/library-numbers.js";
import type { NumbersFilter } from "../../../src/library/catalog/numbers-scope.js";
import { openIndex } from "../../../src/library/catalog/open-index.js";
import { computeBlocks } from "../../../src/library/stats/blocks.js";
import { computeStats } from "../../../src/library/stats/compute-stats.js";
import { statsByCommit, statsByPullRequest } from "../../../src/library/stats/link-stats.js";
import { openTimeZone } from "../../../src/library/stats/time-zone.js";
import { readNumbers } from "../../../src/library/sync/read-numbers.js";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import type { Database } from "../../../src/store/sqlite.js";

const zone = openTimeZone("Europe/Berlin");

/** By reading the sessions themselves. */
export function readStatistics(root: string, filter: NumbersFilter = {}) {
  const db = readNumbers([root]);
  const statistics = statisticsOf(db, root, filter);
  db.close();
  return statistics;
}

/** From an index that is brought up to date first. */
export async function indexedStatistics(root: string, dataFolder: string, filter: NumbersFilter = {}) {
  const index = openIndex(dataFolder);
  await syncIndex(index, [root]);
  const statistics = statisticsOf(index.db, root, filter);
  index.close();
  return statistics;
}

function statisticsOf(db: Database, root: string, filter: NumbersFilter) {
  const numbers = readLibraryNumbers(db, [root], filter);
  const question = { roots: [root], filter, userData: {} };
  return {
    ...computeStats(numbers, { zone }),
    byPullRequest: statsByPullRequest(db, numbers, question),
    byCommit: statsByCommit(db, numbers, question),
    blocks: computeBlocks(messagesOf(numbers.sessions), Date.UTC(2026, 5, 1)),
  };
}
