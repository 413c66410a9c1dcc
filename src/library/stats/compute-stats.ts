import type { PriceTable } from "../../session/cost.js";
import { once } from "../../session/once.js";
import { NO_SLOT, SLOT_MS } from "../indexed/ledger.js";
import type { LibraryNumbers } from "../indexed/library-numbers.js";
import type { OwningSession } from "../indexed/stats-scope.js";
import { type Figures, type Spent, Tally } from "./tally.js";
import { monthOf, type TimeZone, weekOf } from "./time-zone.js";
import { summarizeTools, type ToolStats } from "./tool-stats.js";

export interface Stats {
  readonly from: string | null; // the first and the last day
  readonly to: string | null;
  readonly timezone: string;
  readonly totals: Figures;
  readonly byDay: readonly ({ readonly day: string } & Figures)[];
  readonly byModel: readonly ({ readonly model: string | null } & Spent)[];
  readonly byProject: readonly ({ readonly project: string | null } & Figures)[];
  readonly tools: readonly ToolStats[];
  readonly byWeek: readonly ({ readonly week: string } & Figures)[];
  readonly byMonth: readonly ({ readonly month: string } & Figures)[];
  readonly bySession: readonly (OwningSession & { readonly lastDay: string | null } & Figures)[];
  readonly byBranch: readonly (Branch & BranchFigures)[];
}

/** Of tool calls no file tells the branch. */
export type BranchFigures = Omit<Figures, "toolCalls" | "toolErrors">;

/** Branches of the same name in two projects have nothing to do with each other. */
interface Branch {
  readonly branch: string | null;
  readonly project: string | null;
}

export interface StatsOptions {
  readonly zone: TimeZone;
  readonly prices?: PriceTable | undefined;
}

/** Days, weeks and months in their order; all else by what it cost, the most first. Long tables are made when first asked for. */
export function computeStats(numbers: LibraryNumbers, options: StatsOptions): Stats {
  const groups = addUp(numbers, options.zone);
  const figures = (tally: Tally) => tally.figures(options.prices);
  const byDay = inOrder(groups.days).map(([day, tally]) => ({ day, ...figures(tally) }));
  const long = longTables(groups, figures);
  return {
    from: byDay[0]?.day ?? null,
    to: byDay.at(-1)?.day ?? null,
    timezone: options.zone.name,
    totals: figures(groups.total),
    byDay,
    byModel: groups.models
      .filled()
      .map(([model, tally]) => ({ model, ...tally.spent(options.prices) }))
      .sort(byCost),
    byProject: groups.projects
      .filled()
      .map(([project, tally]) => ({ project, ...figures(tally) }))
      .sort(byCost),
    tools: summarizeTools(numbers.calls),
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

/** Made when they are first asked for, and once: whoever copies the statistics reads them all. */
function longTables(groups: Groups, figures: (tally: Tally) => Figures) {
  const lastDay = (session: OwningSession) => groups.lastDays.get(session) ?? null;
  return {
    byWeek: once(() => inOrder(joinDays(groups.days, weekOf)).map(([week, tally]) => ({ week, ...figures(tally) }))),
    byMonth: once(() =>
      inOrder(joinDays(groups.days, monthOf)).map(([month, tally]) => ({ month, ...figures(tally) })),
    ),
    bySession: once(() =>
      groups.sessions
        .filled()
        .map(([session, tally]) => ({ ...session, lastDay: lastDay(session), ...figures(tally) }))
        .sort(byCost),
    ),
    byBranch: once(() =>
      groups.branches
        .filled()
        .map(([key, tally]) => ({ ...(JSON.parse(key) as Branch), ...withoutTools(figures(tally)) }))
        .sort(byCost),
    ),
  };
}

function withoutTools({ toolCalls: _calls, toolErrors: _errors, ...figures }: Figures): BranchFigures {
  return figures;
}

interface Groups {
  readonly total: Tally;
  readonly days: TallyMap<string | null>;
  readonly models: TallyMap<string | null>;
  readonly projects: TallyMap<string | null>;
  readonly sessions: TallyMap<OwningSession>;
  readonly branches: TallyMap<string>; // JSON of a Branch
  readonly lastDays: ReadonlyMap<OwningSession, string>;
}

/** First by session and day: those sums are few, and all others are sums of them. */
function addUp({ messages, calls, turns }: LibraryNumbers, zone: TimeZone): Groups {
  const cells = new Map<OwningSession, TallyMap<string | null>>();
  const [models, branches] = [tallyMap<string | null>(), new Map<OwningSession, TallyMap<string | null>>()];
  const cellOf = (session: OwningSession, slot: number) =>
    mapAt(cells, session).at(slot === NO_SLOT ? null : zone.dayOf(slot * SLOT_MS));
  for (const owned of messages) {
    const { session, span } = owned;
    cellOf(session, span.slot).addMessages(owned);
    models.at(span.model).addMessages(owned);
    mapAt(branches, session).at(span.gitBranch).addMessages(owned);
  }
  for (const owned of calls) cellOf(owned.session, owned.span.slot).addCalls(owned);
  for (const owned of turns) {
    cellOf(owned.session, owned.span.slot).addTurns(owned);
    mapAt(branches, owned.session).at(owned.span.gitBranch).addTurns(owned);
  }
  return { ...addUpCells(cells), models, branches: joinBranches(branches) };
}

type Cells = ReadonlyMap<OwningSession, TallyMap<string | null>>;

function addUpCells(cells: Cells): Omit<Groups, "models" | "branches"> {
  const [days, projects, sessions] = [tallyMap<string | null>(), tallyMap<string | null>(), tallyMap<OwningSession>()];
  const lastDays = new Map<OwningSession, string>();
  for (const [session, ofSession] of cells) {
    for (const [day, cell] of ofSession.filled()) {
      if (day !== null && day > (lastDays.get(session) ?? "")) lastDays.set(session, day);
      for (const tally of [days.at(day), projects.at(session.project), sessions.at(session)]) tally.add(cell);
    }
  }
  const total = new Tally();
  for (const [, day] of days.filled()) total.add(day);
  return { total, days, projects, sessions, lastDays };
}

/** Weeks or months. */
function joinDays(days: TallyMap<string | null>, nameOf: (day: string) => string): TallyMap<string | null> {
  const joined = tallyMap<string | null>();
  for (const [day, tally] of days.filled()) joined.at(day && nameOf(day)).add(tally);
  return joined;
}

function joinBranches(bySession: Cells): TallyMap<string> {
  const branches = tallyMap<string>();
  for (const [{ project }, ofSession] of bySession) {
    for (const [branch, tally] of ofSession.filled()) branches.at(JSON.stringify({ branch, project })).add(tally);
  }
  return branches;
}

function mapAt<Outer, Key>(maps: Map<Outer, TallyMap<Key>>, key: Outer): TallyMap<Key> {
  const known = maps.get(key) ?? tallyMap<Key>();
  maps.set(key, known);
  return known;
}

interface TallyMap<Key> {
  at(key: Key): Tally;
  /** Without those from which everything was taken back. */
  filled(): [Key, Tally][];
}

function tallyMap<Key>(): TallyMap<Key> {
  const tallies = new Map<Key, Tally>();
  return {
    at(key) {
      const tally = tallies.get(key) ?? new Tally();
      tallies.set(key, tally);
      return tally;
    },
    filled: () => [...tallies].filter(([, tally]) => !tally.isEmpty()),
  };
}

/** What has no time is in the totals alone. */
function inOrder(tallies: TallyMap<string | null>): [string, Tally][] {
  return tallies
    .filled()
    .flatMap(([key, tally]): [string, Tally][] => (key === null ? [] : [[key, tally]]))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function byCost(a: Spent, b: Spent): number {
  return b.knownCostUsd - a.knownCostUsd || b.usage.output - a.usage.output || b.messages - a.messages;
}
