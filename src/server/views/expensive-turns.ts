import { MESSAGES, readRows, TURNS } from "../../library/catalog/number-kinds.js";
import type { NumbersFilter } from "../../library/catalog/numbers-scope.js";
import type { Stats } from "../../library/stats/compute-stats.js";
import { addUpCosts, type ModelSpend, type PriceTable } from "../../session/messages/cost.js";
import { sumUsage } from "../../session/messages/usage.js";
import type { Database } from "../../store/sqlite.js";
import type { ExpensiveTurn } from "../api/stats.js";

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
  return (path) => {
    const file = fileOf.get(path)?.id;
    if (file === undefined) return new Map();
    const turns = new Map<number, SpentTurn>();
    for (const { number, time, isTurn, isCopied } of readRows(db, TURNS, file)) {
      if (isTurn && !isCopied && time !== null && isWanted(time)) turns.set(number, { time, spent: [] });
    }
    for (const { turn, model, speed, usage } of turns.size === 0 ? [] : readRows(db, MESSAGES, file)) {
      if (turn !== null) turns.get(turn)?.spent.push({ model, speed, usage });
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
