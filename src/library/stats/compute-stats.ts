import { listAt } from "../../collections.js";
import { once } from "../../lazy.js";
import { BUNDLED_PRICES, type PriceTable } from "../../session/messages/cost.js";
import type { Failures } from "../../session/totals.js";
import type { Database } from "../../store/sqlite.js";
import { cachedAnswer } from "../catalog/cached-answers.js";
import { type LibraryNumbers, readLibraryNumbers, type SessionNumbers } from "../catalog/library-numbers.js";
import type { OwningSession } from "../catalog/numbers-scope.js";
import { type CallSpan, NO_SLOT, SLOT_MS } from "../entries/ledger.js";
import type { LinkStats } from "./link-stats.js";
import { byCost, type Figures, filled, type Spent, Tally, tallyAt } from "./tally.js";
import { monthOf, type TimeZone, weekOf } from "./time-zone.js";
import { summarizeTools, type ToolStats } from "./tool-stats.js";

/** What the command line and the web UI show first. */
export interface DailyStats {
  readonly from: string | null; // first and last day
  readonly to: string | null;
  readonly timezone: string;
  readonly totals: Figures;
  readonly byDay: readonly ({ readonly day: string } & Figures)[];
  readonly byModel: readonly ({ readonly model: string | null } & Spent)[];
  readonly byProject: readonly ({ readonly project: string | null } & Figures)[];
  readonly tools: readonly ToolStats[];
}

/** The tables whose length does not grow with the number of sessions. */
interface ShortStats extends DailyStats {
  readonly byWeek: readonly ({ readonly week: string } & Figures)[];
  readonly byMonth: readonly ({ readonly month: string } & Figures)[];
}

export interface Stats extends ShortStats {
  readonly bySession: readonly (OwningSession & { readonly lastDay: string | null } & Figures)[];
  readonly byBranch: readonly (Branch & BranchFigures)[];
}

/** With those long tables that were requested. */
export type AskedStats = ShortStats & Partial<Stats & LinkStats>;

/** The git branch of tool calls is not recorded. */
export type BranchFigures = Omit<Figures, "toolCalls" | "toolErrors" | keyof Failures>;

/** Branches of the same name in two projects are different branches. */
interface Branch {
  readonly branch: string | null;
  readonly project: string | null;
}

interface StatsOptions {
  readonly zone: TimeZone;
  readonly prices?: PriceTable | undefined;
}

/** Days, weeks and months in order; all else by cost, highest first. Long tables are lazy. */
export function computeStats(numbers: LibraryNumbers, options: StatsOptions): Stats {
  const sums = numbers.sessions.map((session) => addUp(session, options.zone));
  const figures = (tally: Tally) => tally.figures(options.prices);
  const byDay = inOrder(joinDays(sums, (day) => day)).map(([day, tally]) => ({ day, ...figures(tally) }));
  const total = new Tally();
  for (const sum of sums) total.addSession(sum.tally);
  const long = longTables(numbers, sums, figures);
  return {
    from: byDay[0]?.day ?? null,
    to: byDay.at(-1)?.day ?? null,
    timezone: options.zone.name,
    totals: figures(total),
    byDay,
    byModel: filled(total.byModel())
      .map(([model, tally]) => ({ model, ...tally.spent(options.prices) }))
      .sort(byCost),
    byProject: filled(joinProjects(sums))
      .map(([project, tally]) => ({ project, ...figures(tally) }))
      .sort(byCost),
    tools: summarizeTools(callsOf(numbers)),
    get byWeek() {
      return long.byWeek();
    },
    get byMonth() {
      return long.byMonth();
    },
    get bySession() {
      return long.bySession();
    },
    get byBranch() {
      return long.byBranch();
    },
  };
}

/** Computed on first access, once. Spreading the statistics would compute them all. */
function longTables(numbers: LibraryNumbers, sums: readonly SessionSum[], figures: (tally: Tally) => Figures) {
  return {
    byWeek: once(() => inOrder(joinDays(sums, weekOf)).map(([week, tally]) => ({ week, ...figures(tally) }))),
    byMonth: once(() => inOrder(joinDays(sums, monthOf)).map(([month, tally]) => ({ month, ...figures(tally) }))),
    bySession: once(() =>
      sums
        .filter(({ tally }) => !tally.isEmpty())
        .map((sum) => sessionRow(sum, figures(sum.tally)))
        .sort(byCost),
    ),
    byBranch: once(() =>
      filled(joinBranches(numbers))
        .map(([key, tally]) => ({ ...(JSON.parse(key) as Branch), ...withoutTools(figures(tally)) }))
        .sort(byCost),
    ),
  };
}

/** Field by field: spreading the figures of ten thousand sessions takes longer than summing them. */
function sessionRow({ session, days }: SessionSum, figures: Figures): Stats["bySession"][number] {
  return {
    path: session.path,
    id: session.id,
    project: session.project,
    title: session.title,
    lastDay: days.reduce<string | null>((last, { day }) => (day !== null && day > (last ?? "") ? day : last), null),
    messages: figures.messages,
    unknownOutputs: figures.unknownOutputs,
    usage: figures.usage,
    costUsd: figures.costUsd,
    knownCostUsd: figures.knownCostUsd,
    unpricedModels: figures.unpricedModels,
    sessions: figures.sessions,
    turns: figures.turns,
    activeMs: figures.activeMs,
    toolCalls: figures.toolCalls,
    toolErrors: figures.toolErrors,
    subagentCostUsd: figures.subagentCostUsd,
    rewoundCostUsd: figures.rewoundCostUsd,
    failedToolCalls: figures.failedToolCalls,
    deniedToolCalls: figures.deniedToolCalls,
    interruptedToolCalls: figures.interruptedToolCalls,
    apiErrors: figures.apiErrors,
  };
}

function withoutTools(figures: Figures): BranchFigures {
  const { toolCalls: _calls, toolErrors: _errors, ...rest } = figures;
  const { failedToolCalls: _failed, deniedToolCalls: _denied, interruptedToolCalls: _interrupted, ...more } = rest;
  const { apiErrors: _apiErrors, ...others } = more;
  return others;
}

/** The figures of one session, in total and by day; all other sums are built from these. */
interface SessionSum {
  readonly session: OwningSession;
  readonly tally: Tally;
  readonly days: readonly DaySum[];
}

interface DaySum {
  readonly day: string | null;
  readonly tally: Tally;
}

function addUp({ session, messages, calls, turns }: SessionNumbers, zone: TimeZone): SessionSum {
  const all: DaySum[] = [];
  const at = (slot: number) => {
    const day = slot === NO_SLOT ? null : zone.dayOf(slot * SLOT_MS);
    const known = all.find((sum) => sum.day === day);
    if (known) return known.tally;
    const tally = new Tally();
    all.push({ day, tally });
    return tally;
  };
  for (const span of messages) at(span.slot).addMessages(span);
  for (const span of calls) at(span.slot).addCalls(span);
  for (const span of turns) at(span.slot).addTurns(span);
  const days = all.filter(({ tally }) => !tally.isEmpty());
  return { session, days, tally: joinParts(days.map(({ tally }) => tally)) };
}

/** Most sessions have a single part. */
function joinParts(parts: readonly Tally[]): Tally {
  const [first = new Tally()] = parts;
  if (parts.length < 2) return first;
  const joined = new Tally();
  for (const part of parts) joined.addPart(part);
  return joined;
}

/** A session counts once per name, however many of its days have that name. */
function joinDays(sums: readonly SessionSum[], nameOf: (day: string) => string): Map<string | null, Tally> {
  const names = new Map<string | null, string | null>([[null, null]]);
  const nameAt = (day: string | null) => {
    const name = names.get(day) ?? (day && nameOf(day));
    names.set(day, name);
    return name;
  };
  const joined = new Map<string | null, Tally>();
  for (const { days } of sums) {
    const [only] = days;
    if (only && days.length === 1) {
      tallyAt(joined, nameAt(only.day)).addSession(only.tally);
      continue;
    }
    const named = new Map<string | null, Tally[]>();
    for (const { day, tally } of days) listAt(named, nameAt(day)).push(tally);
    for (const [name, parts] of named) tallyAt(joined, name).addSession(joinParts(parts));
  }
  return joined;
}

function joinProjects(sums: readonly SessionSum[]): Map<string | null, Tally> {
  const projects = new Map<string | null, Tally>();
  for (const { session, tally } of sums) tallyAt(projects, session.project).addSession(tally);
  return projects;
}

/** Keys are JSON of `Branch`. */
function joinBranches({ sessions }: LibraryNumbers): Map<string, Tally> {
  const branches = new Map<string, Tally>();
  for (const { session, messages, turns } of sessions) {
    const own = new Map<string | null, Tally>();
    for (const span of messages) tallyAt(own, span.gitBranch).addMessages(span);
    for (const span of turns) tallyAt(own, span.gitBranch).addTurns(span);
    for (const [branch, tally] of own) {
      tallyAt(branches, JSON.stringify({ branch, project: session.project })).addSession(tally);
    }
  }
  return branches;
}

function* callsOf({ sessions }: LibraryNumbers): Generator<CallSpan> {
  for (const { calls } of sessions) yield* calls;
}

/** Entries without a time count in the totals only. */
function inOrder(tallies: ReadonlyMap<string | null, Tally>): [string, Tally][] {
  return filled(tallies)
    .flatMap(([key, tally]): [string, Tally][] => (key === null ? [] : [[key, tally]]))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The statistics of all sessions below the roots, stored in the index until a session changes. */
export function readShortStats(db: Database, roots: readonly string[], options: StatsOptions): ShortStats {
  const { zone, prices = BUNDLED_PRICES } = options;
  return cachedAnswer(db, ["stats", roots, zone.name, prices], () =>
    toShortStats(computeStats(readLibraryNumbers(db, roots, {}), options)),
  );
}

export function toShortStats(stats: Stats): ShortStats {
  return { ...toDailyStats(stats), byWeek: stats.byWeek, byMonth: stats.byMonth };
}

/** Field by field: spreading would compute the long tables. */
export function toDailyStats(stats: Stats): DailyStats {
  return {
    from: stats.from,
    to: stats.to,
    timezone: stats.timezone,
    totals: stats.totals,
    byDay: stats.byDay,
    byModel: stats.byModel,
    byProject: stats.byProject,
    tools: stats.tools,
  };
}
