import { type MessageSpan, NO_SLOT, SLOT_MS } from "../../library/indexed/ledger.js";
import { messagesOf, readLibraryNumbers, type SessionNumbers } from "../../library/indexed/library-numbers.js";
import type { NumbersFilter } from "../../library/indexed/stats-scope.js";
import type { LoadOptions } from "../../library/load-session.js";
import { computeBlocks } from "../../library/stats/blocks.js";
import { computeStats } from "../../library/stats/compute-stats.js";
import { type Spent, Tally } from "../../library/stats/tally.js";
import type { TimeZone } from "../../library/stats/time-zone.js";
import type { Redactor } from "../../redact/create-redactor.js";
import type { PriceTable } from "../../session/cost.js";
import type { Usage } from "../../session/usage.js";
import type { Database } from "../../store/sqlite.js";
import type { StatsAnswer } from "../api/stats.js";
import { dearestTurns } from "./dearest-turns.js";
import { dividePeriods, type Periods } from "./periods.js";

export interface StatsRequest {
  readonly roots: readonly string[];
  readonly filter: NumbersFilter;
  readonly zone: TimeZone;
  readonly known: LoadOptions;
  readonly redactor: Redactor;
  /** So many sessions and dear turns. */
  readonly limit: number;
}

const DEAREST = 10;
/** Blocks of hours are told as far back. */
const RECENT_DAYS = 120;
const DAY_MS = 86_400_000;

export function viewStats(db: Database, request: StatsRequest): StatsAnswer {
  const { roots, filter, zone, known, redactor, limit } = request;
  const { prices } = known;
  const numbers = readLibraryNumbers(db, roots, filter, known);
  const stats = computeStats(numbers, { zone, prices });
  const { bySession } = stats;
  const { sessions } = numbers;
  const periods = dividePeriods(stats.from, stats.to);
  const parts = { zone, prices, periods };
  const masked = <Titled extends { readonly title: string }>(row: Titled): Titled => ({
    ...row,
    title: redactor.text(row.title, "title"),
  });
  return {
    from: stats.from,
    to: stats.to,
    timezone: stats.timezone,
    totals: stats.totals,
    byDay: stats.byDay,
    byModel: stats.byModel,
    byProject: stats.byProject,
    tools: stats.tools,
    bySession: bySession.slice(0, limit).map(({ path: _path, ...row }) => masked(row)),
    periods: periods.list,
    byPeriodAndModel: spentByPeriod(sessions, (span) => span.model, parts).map(({ name, ...row }) => ({
      ...row,
      model: name,
    })),
    byPeriodAndProject: spentByPeriod(sessions, (_, { project }) => project, parts).map(({ name, ...row }) => ({
      ...row,
      project: name,
    })),
    cacheHitRate: cacheHitRate(stats.totals.usage),
    blocks: computeBlocks(messagesOf(sinceDays(sessions, RECENT_DAYS)), Date.now(), prices),
    dearestTurns: dearestTurns(db, bySession, filter, { prices, count: Math.min(DEAREST, limit) }).map(masked),
  };
}

/** Counted back from the last day on which there was anything. */
function sinceDays(sessions: readonly SessionNumbers[], days: number): readonly SessionNumbers[] {
  const last = messagesOf(sessions).reduce((latest, { slot }) => Math.max(latest, slot), NO_SLOT);
  const first = last - (days * DAY_MS) / SLOT_MS;
  return sessions.map((numbers) => ({ ...numbers, messages: numbers.messages.filter(({ slot }) => slot >= first) }));
}

type PeriodSpent = Spent & { readonly first: string; readonly name: string | null };

interface Parts {
  readonly zone: TimeZone;
  readonly prices: PriceTable | undefined;
  readonly periods: Periods;
}

/** Each period in parts: by model, by project. */
function spentByPeriod(
  sessions: readonly SessionNumbers[],
  nameOf: (span: MessageSpan, session: SessionNumbers["session"]) => string | null,
  { zone, prices, periods }: Parts,
): PeriodSpent[] {
  const tallies = new Map<string, { readonly first: string; readonly name: string | null; readonly tally: Tally }>();
  for (const { session, messages } of sessions) {
    for (const span of messages) {
      if (span.slot === NO_SLOT) continue;
      const [first, name] = [periods.startOf(zone.dayOf(span.slot * SLOT_MS)), nameOf(span, session)];
      const key = `${first} ${name}`;
      const known = tallies.get(key) ?? { first, name, tally: new Tally() };
      known.tally.addMessages(span);
      tallies.set(key, known);
    }
  }
  return [...tallies.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([, { tally }]) => !tally.isEmpty())
    .map(([, { first, name, tally }]) => ({ first, name, ...tally.spent(prices) }));
}

function cacheHitRate({ input, cacheRead, cacheWrite5m, cacheWrite1h }: Usage): number | null {
  const all = input + cacheRead + cacheWrite5m + cacheWrite1h;
  return all === 0 ? null : cacheRead / all;
}
