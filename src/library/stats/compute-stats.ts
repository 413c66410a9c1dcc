import type { PriceTable } from "../../session/cost.js";
import { NO_SLOT, SLOT_MS } from "../indexed/ledger.js";
import type { LibraryNumbers } from "../indexed/library-numbers.js";
import type { OwningSession } from "../indexed/stats-scope.js";
import { createTally, type Figures, type Spent, type Tally } from "./tally.js";
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
  readonly byBranch: readonly (Branch & Figures)[];
}

/** Branches of the same name in two projects have nothing to do with each other. */
interface Branch {
  readonly branch: string | null;
  readonly project: string | null;
}

export interface StatsOptions {
  readonly zone: TimeZone;
  readonly prices?: PriceTable | undefined;
}

/** Days, weeks and months in their order; all else by what it cost, the most first. */
export function computeStats(numbers: LibraryNumbers, options: StatsOptions): Stats {
  const groups = addUp(numbers, options.zone);
  const figures = (tally: Tally) => tally.figures(options.prices);
  const byDay = inOrder(groups.days).map(([day, tally]) => ({ day, ...figures(tally) }));
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
    byWeek: inOrder(groups.weeks).map(([week, tally]) => ({ week, ...figures(tally) })),
    byMonth: inOrder(groups.months).map(([month, tally]) => ({ month, ...figures(tally) })),
    bySession: groups.sessions
      .filled()
      .map(([session, tally]) => ({ ...session, lastDay: groups.lastDays.get(session) ?? null, ...figures(tally) }))
      .sort(byCost),
    byBranch: groups.branches
      .filled()
      .map(([key, tally]) => ({ ...(JSON.parse(key) as Branch), ...figures(tally) }))
      .sort(byCost),
  };
}

interface Groups {
  readonly total: Tally;
  readonly days: TallyMap<string | null>;
  readonly weeks: TallyMap<string | null>;
  readonly months: TallyMap<string | null>;
  readonly models: TallyMap<string | null>;
  readonly projects: TallyMap<string | null>;
  readonly sessions: TallyMap<OwningSession>;
  readonly branches: TallyMap<string>; // JSON of a Branch
  readonly lastDays: ReadonlyMap<OwningSession, string>;
}

function addUp({ messages, calls, turns }: LibraryNumbers, zone: TimeZone): Groups {
  const total = createTally();
  const [days, weeks, months] = [tallyMap<string | null>(), tallyMap<string | null>(), tallyMap<string | null>()];
  const [models, projects] = [tallyMap<string | null>(), tallyMap<string | null>()];
  const sessions = tallyMap<OwningSession>();
  const branches = tallyMap<string>();
  const lastDays = new Map<OwningSession, string>();

  function talliesOf(session: OwningSession, slot: number): readonly Tally[] {
    const day = slot === NO_SLOT ? null : zone.dayOf(slot * SLOT_MS);
    if (day !== null && day > (lastDays.get(session) ?? "")) lastDays.set(session, day);
    const time = [days.at(day), weeks.at(day && weekOf(day)), months.at(day && monthOf(day))];
    return [total, ...time, projects.at(session.project), sessions.at(session)];
  }
  const branchOf = ({ project }: OwningSession, branch: string | null) =>
    branches.at(JSON.stringify({ branch, project } satisfies Branch));

  for (const owned of messages) {
    const { session, span } = owned;
    const own = [models.at(span.model), branchOf(session, span.gitBranch)];
    for (const tally of [...talliesOf(session, span.slot), ...own]) tally.addMessages(owned);
  }
  for (const owned of calls) {
    for (const tally of talliesOf(owned.session, owned.span.slot)) tally.addCalls(owned);
  }
  for (const owned of turns) {
    const { session, span } = owned;
    for (const tally of talliesOf(session, span.slot)) tally.addTurns(owned);
    branchOf(session, span.gitBranch).addTurns(owned);
  }
  return { total, days, weeks, months, models, projects, sessions, branches, lastDays };
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
      const tally = tallies.get(key) ?? createTally();
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
