import { maskNames } from "../../app/mask-names.js";
import { cachedAnswer } from "../../library/catalog/cached-answers.js";
import { messagesOf, readLibraryNumbers, type SessionNumbers } from "../../library/catalog/library-numbers.js";
import type { NumbersFilter } from "../../library/catalog/numbers-scope.js";
import { type MessageSpan, NO_SLOT, SLOT_MS } from "../../library/entries/ledger.js";
import type { LoadOptions } from "../../library/load/load-session.js";
import { type Block, computeBlocks } from "../../library/stats/blocks.js";
import { computeStats, toDailyStats } from "../../library/stats/compute-stats.js";
import { type LinkStats, statsByCommit, statsByPullRequest } from "../../library/stats/link-stats.js";
import { type Spent, Tally } from "../../library/stats/tally.js";
import { addDays, type TimeZone } from "../../library/stats/time-zone.js";
import type { Redactor } from "../../redact/create-redactor.js";
import { BUNDLED_PRICES, type PriceTable } from "../../session/messages/cost.js";
import type { Usage } from "../../session/messages/usage.js";
import type { Database } from "../../store/sqlite.js";
import type { Period, StatsAnswer } from "../api/stats.js";
import { findExpensiveTurns } from "./expensive-turns.js";

export interface StatsRequest {
  readonly roots: readonly string[];
  readonly filter: NumbersFilter;
  readonly zone: TimeZone;
  readonly options: LoadOptions;
  readonly redactor: Redactor;
  /** Maximum number of sessions, pull requests, commits and expensive turns. */
  readonly limit: number;
  readonly withCommits: boolean;
}

const MAX_EXPENSIVE_TURNS = 10;
/** Five-hour blocks go back this far. */
const BLOCK_DAYS = 120;
const DAY_MS = 86_400_000;

export function viewStats(db: Database, request: StatsRequest): StatsAnswer {
  const { options, redactor } = request;
  const stats = cachedStats(db, request);
  const mask = <Row extends object>(row: Row) => maskNames(row, redactor);
  const titled = <Row extends { readonly title: string }>(row: Row, id: string): Row =>
    mask({ ...row, title: options.marks?.get(id)?.title ?? row.title });
  return {
    ...stats,
    byProject: stats.byProject.map(mask),
    byPeriodAndProject: stats.byPeriodAndProject.map(mask),
    tools: stats.tools.map(mask),
    bySession: stats.bySession.map((row) => titled(row, row.id)),
    byPullRequest: stats.byPullRequest.map(mask),
    dearestTurns: stats.dearestTurns.map((row) => titled(row, row.sessionId)),
    ...(request.withCommits ? { byCommit: commitRows(db, request).map(mask) } : {}),
    blocks: recentBlocks(db, request, stats.to),
  };
}

/** Everything except what depends on the current time; titles without the user's own. */
type TimelessStats = Omit<StatsAnswer, "blocks" | "byCommit">;

function commitRows(db: Database, { roots, filter, options, limit }: StatsRequest): LinkStats["byCommit"] {
  const question = { roots, filter, userData: options, prices: options.prices };
  return statsByCommit(db, readLibraryNumbers(db, roots, filter, options), question).slice(0, limit);
}

function cachedStats(db: Database, request: StatsRequest): TimelessStats {
  const { roots, filter, zone, options, limit } = request;
  if (Object.keys(filter).length > 0) return timelessStats(db, request);
  const { prices = BUNDLED_PRICES } = options;
  return cachedAnswer(db, ["stats of the web UI", roots, zone.name, prices, limit], () =>
    timelessStats(db, { ...request, options: { prices } }),
  );
}

function timelessStats(db: Database, { roots, filter, zone, options, limit }: StatsRequest): TimelessStats {
  const { prices } = options;
  const numbers = readLibraryNumbers(db, roots, filter, options);
  const stats = computeStats(numbers, { zone, prices });
  const { bySession } = stats;
  const { sessions } = numbers;
  const periods = dividePeriods(stats.from, stats.to);
  const parts = { zone, prices, periods };
  return {
    ...toDailyStats(stats),
    byPullRequest: statsByPullRequest(db, numbers, { roots, filter, userData: options, prices }).slice(0, limit),
    bySession: bySession.slice(0, limit).map(({ path: _path, ...row }) => row),
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
    dearestTurns: findExpensiveTurns(db, bySession, filter, { prices, count: Math.min(MAX_EXPENSIVE_TURNS, limit) }),
  };
}

/** Counted back from the last day with activity. */
function recentBlocks(db: Database, { roots, filter, zone, options }: StatsRequest, lastDay: string | null): Block[] {
  if (lastDay === null) return [];
  const since = Math.max(filter.since ?? 0, zone.startOfDay(lastDay) - BLOCK_DAYS * DAY_MS);
  const { sessions } = readLibraryNumbers(db, roots, { ...filter, since }, options);
  return computeBlocks(messagesOf(sessions), Date.now(), options.prices);
}

type PeriodSpent = Spent & { readonly first: string; readonly name: string | null };

interface Parts {
  readonly zone: TimeZone;
  readonly prices: PriceTable | undefined;
  readonly periods: Periods;
}

/** Usage per period and name, such as a model or a project. */
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

/** The most columns that a chart shows legibly. */
const MAX_PERIODS = 120;

/** The whole range of time, divided into days, weeks or months. */
interface Periods {
  readonly list: readonly Period[];
  /** The first day of the period that a day is in. */
  startOf(day: string): string;
}

export function dividePeriods(from: string | null, to: string | null): Periods {
  if (from === null || to === null) return { list: [], startOf: (day) => day };
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  const unit: Period["unit"] = count <= MAX_PERIODS ? "day" : count <= MAX_PERIODS * 7 ? "week" : "month";
  const startOf = STARTS[unit];
  const list: Period[] = [];
  for (let first = startOf(from); first <= to; ) {
    const next = startOf(addDays(first, LONGEST[unit]));
    const isLast = next > to || next <= first; // as text, years of five digits sort before those of four
    list.push({ unit, first, end: isLast ? addDays(to, 1) : next });
    if (isLast) break;
    first = next;
  }
  return { list, startOf };
}

const LONGEST: Readonly<Record<Period["unit"], number>> = { day: 1, week: 7, month: 31 };

const STARTS: Readonly<Record<Period["unit"], (day: string) => string>> = {
  day: (day) => day,
  week: startOfWeek,
  month: (day) => `${day.slice(0, 7)}-01`,
};

/** Weeks begin on Monday. */
export function startOfWeek(day: string): string {
  return addDays(day, -((new Date(day).getUTCDay() + 6) % 7));
}
