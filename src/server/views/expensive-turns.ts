import type { NumbersFilter } from "../../library/catalog/numbers-scope.js";
import type { Stats } from "../../library/stats/compute-stats.js";
import { addUpCosts, type ModelSpend, type PriceTable } from "../../session/messages/cost.js";
import { sumUsage, type Usage } from "../../session/messages/usage.js";
import type { Database } from "../../store/sqlite.js";
import type { ExpensiveTurn } from "../api/stats.js";

interface SpentRow {
  readonly turn: number;
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
 * The turns whose own messages cost most, of those that began in the time. A turn costs what it costs wherever it is shown:
 * all of its messages on the active branch. `sessions` must be sorted by cost: no turn costs more than its session, so the
 * search ends at the first session that is cheaper than the turns found.
 */
export function findExpensiveTurns(
  db: Database,
  sessions: readonly Costly[],
  { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY }: NumbersFilter,
  { prices, count }: { readonly prices: PriceTable | undefined; readonly count: number },
): ExpensiveTurn[] {
  const spentOf = createReader(db, (time) => time >= since && time < until);
  let best: ExpensiveTurn[] = [];
  for (const session of sessions) {
    const least = best.length < count ? 0 : (best.at(-1)?.costUsd ?? 0);
    if (session.knownCostUsd <= least) break;
    best = [...best, ...priceTurns(session, spentOf(session.path), prices)]
      .sort((a, b) => b.costUsd - a.costUsd)
      .slice(0, count);
  }
  return best;
}

interface SpentTurn {
  readonly time: number; // when it began
  readonly spent: ModelSpend[];
}

/** A turn that a fork copied is one of the session that it was copied from. */
function createReader(db: Database, isWanted: (time: number) => boolean): (path: string) => Map<number, SpentTurn> {
  const fileOf = db.prepare<{ id: number }>("SELECT id FROM files WHERE path = ?");
  const turnsOf = db.prepare<{ number: number; time: number }>(
    "SELECT number, time FROM turns WHERE file = ? AND time IS NOT NULL AND NOT is_copied",
  );
  const messagesOf = db.prepare<SpentRow>(
    `SELECT turn, model, speed, input, output, cache_read, cache_write_5m, cache_write_1h, web_searches, web_fetches
     FROM messages WHERE file = ? AND turn IS NOT NULL`,
  );
  return (path) => {
    const file = fileOf.get(path)?.id;
    if (file === undefined) return new Map();
    const wanted = turnsOf.all(file).filter(({ time }) => isWanted(time));
    const turns = new Map(wanted.map(({ number, time }) => [number, { time, spent: [] as ModelSpend[] }]));
    for (const row of messagesOf.all(file)) {
      turns.get(row.turn)?.spent.push({ model: row.model, speed: row.speed, usage: toUsage(row) });
    }
    return turns;
  };
}

function priceTurns(
  { id, title, project }: Costly,
  turns: ReadonlyMap<number, SpentTurn>,
  prices: PriceTable | undefined,
): ExpensiveTurn[] {
  return [...turns].flatMap(([turn, { time, spent }]) => {
    const { known: costUsd } = addUpCosts(spent, prices);
    const usage = sumUsage(spent.map((one) => one.usage));
    const at = new Date(time).toISOString();
    return costUsd > 0 ? [{ sessionId: id, title, project, turn, at, usage, costUsd }] : [];
  });
}

function toUsage(row: SpentRow): Usage {
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
