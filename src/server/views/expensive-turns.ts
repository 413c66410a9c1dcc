import type { NumbersFilter } from "../../library/catalog/numbers-scope.js";
import type { Stats } from "../../library/stats/compute-stats.js";
import { costOf, type PriceTable } from "../../session/messages/cost.js";
import { emptyUsage, sumUsage, type Usage } from "../../session/messages/usage.js";
import type { Database } from "../../store/sqlite.js";
import type { ExpensiveTurn } from "../api/stats.js";

interface TurnRow {
  readonly number: number;
  readonly time: number;
}

interface MessageRow {
  readonly time: number;
  readonly model: string | null;
  readonly speed: string | null;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write_5m: number;
  readonly cache_write_1h: number;
  readonly web_searches: number;
  readonly web_fetches: number;
}

type Costly = Pick<Stats["bySession"][number], "path" | "id" | "title" | "project" | "knownCostUsd">;

/**
 * The turns whose own messages cost most. `sessions` must be sorted by cost: no turn costs more than its session, so the
 * search ends at the first session that is cheaper than the turns found.
 */
export function findExpensiveTurns(
  db: Database,
  sessions: readonly Costly[],
  { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY }: NumbersFilter,
  { prices, count }: { readonly prices: PriceTable | undefined; readonly count: number },
): ExpensiveTurn[] {
  const read = createReader(db);
  let best: ExpensiveTurn[] = [];
  for (const session of sessions) {
    const least = best.length < count ? 0 : (best.at(-1)?.costUsd ?? 0);
    if (session.knownCostUsd <= least) break;
    const { turns, messages } = read(session.path);
    const chosen = messages.filter(({ time }) => time >= since && time < until);
    best = [...best, ...sumTurns(session, turns, chosen, prices)].sort((a, b) => b.costUsd - a.costUsd).slice(0, count);
  }
  return best;
}

function createReader(db: Database): (path: string) => { turns: TurnRow[]; messages: MessageRow[] } {
  const fileOf = db.prepare<{ id: number }>("SELECT id FROM files WHERE path = ?");
  const turnsOf = db.prepare<TurnRow>(
    "SELECT number, time FROM turns WHERE file = ? AND time IS NOT NULL AND NOT is_copied ORDER BY number",
  );
  const messagesOf = db.prepare<MessageRow>(
    `SELECT time, model, speed, input, output, cache_read, cache_write_5m, cache_write_1h, web_searches, web_fetches
     FROM messages WHERE file = ? AND time IS NOT NULL AND NOT is_copied ORDER BY time`,
  );
  return (path) => {
    const file = fileOf.get(path)?.id;
    return file === undefined
      ? { turns: [], messages: [] }
      : { turns: turnsOf.all(file), messages: messagesOf.all(file) };
  };
}

/** A message belongs to the last turn that started before it. */
function sumTurns(
  { id, title, project }: Costly,
  turns: readonly TurnRow[],
  messages: readonly MessageRow[],
  prices: PriceTable | undefined,
): ExpensiveTurn[] {
  const sums = turns.map(({ number, time }) => ({ number, time, usage: emptyUsage(), costUsd: 0 }));
  let at = -1;
  for (const message of messages) {
    while ((sums[at + 1]?.time ?? Number.POSITIVE_INFINITY) <= message.time) at += 1;
    const sum = sums[at];
    if (!sum) continue;
    const usage = toUsage(message);
    sum.usage = sumUsage([sum.usage, usage]);
    sum.costUsd += costOf(usage, message.model ?? undefined, message.speed ?? undefined, prices) ?? 0;
  }
  return sums
    .filter(({ costUsd }) => costUsd > 0)
    .map(({ number, time, usage, costUsd }) => ({
      sessionId: id,
      title,
      project,
      turn: number,
      at: new Date(time).toISOString(),
      usage,
      costUsd,
    }));
}

function toUsage(row: MessageRow): Usage {
  return {
    input: row.input,
    output: row.output,
    cacheRead: row.cache_read,
    cacheWrite5m: row.cache_write_5m,
    cacheWrite1h: row.cache_write_1h,
    webSearches: row.web_searches,
    webFetches: row.web_fetches,
  };
}
