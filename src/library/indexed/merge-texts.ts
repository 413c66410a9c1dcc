import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../../store/sqlite.js";

const STEP_PAGES = 1000;

/**
 * Makes one piece of the many that a long sync leaves of the full-text table, step by step. Otherwise every later change of
 * the index would do a part of that work: it costs 5 % of building, and an append takes half the time.
 */
export async function mergeTexts(db: Database, signal?: AbortSignal): Promise<void> {
  const merge = db.prepare("INSERT INTO texts (texts, rank) VALUES ('merge', ?)");
  const total = db.prepare<{ changes: number }>("SELECT total_changes() AS changes");
  const changes = () => total.get()?.changes ?? 0;
  merge.run(-STEP_PAGES); // begins: all pieces take part
  for (let isMore = true; isMore && !signal?.aborted; ) {
    await nextTurn();
    const before = changes();
    merge.run(STEP_PAGES);
    isMore = changes() - before >= 2; // one is the command itself
  }
}
