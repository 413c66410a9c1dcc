import { costOf, type PriceTable } from "../../session/cost.js";
import { emptyUsage, type Usage } from "../../session/usage.js";
import { addUsage, type CallSpan, type MessageSpan, type Mutable, type TurnSpan } from "../indexed/ledger.js";
import type { Owned } from "../indexed/library-numbers.js";
import type { OwningSession } from "../indexed/stats-scope.js";

/** What some messages spent. */
export interface Spent {
  readonly messages: number;
  /** Messages whose output tokens the files do not tell. */
  readonly unknownOutputs: number;
  readonly usage: Usage;
  /** Null as soon as one model has no known price. */
  readonly costUsd: number | null;
  /** What the models with a known price cost. */
  readonly knownCostUsd: number;
  readonly unpricedModels: readonly string[];
}

/** All that is counted of a day, a project, a session. */
export interface Figures extends Spent {
  readonly sessions: number;
  readonly turns: number;
  readonly activeMs: number; // turns from prompt to last record
  readonly toolCalls: number;
  readonly toolErrors: number;
}

interface ModelSum {
  readonly model: string | null;
  readonly speed: string | null;
  readonly usage: Mutable<Usage>;
}

/** Adds up; what is taken back may come before what it takes back from. */
export interface Tally {
  addMessages(owned: Owned<MessageSpan>): void;
  addCalls(owned: Owned<CallSpan>): void;
  addTurns(owned: Owned<TurnSpan>): void;
  isEmpty(): boolean;
  spent(prices?: PriceTable): Spent;
  figures(prices?: PriceTable): Figures;
}

export function createTally(): Tally {
  const models = new Map<string | null, Map<string | null, ModelSum>>();
  const things = new Map<OwningSession, number>();
  let [messages, unknownOutputs, turns, activeMs, toolCalls, toolErrors] = [0, 0, 0, 0, 0, 0];

  function sumOf(model: string | null, speed: string | null): Mutable<Usage> {
    const speeds = models.get(model) ?? new Map<string | null, ModelSum>();
    models.set(model, speeds);
    const sum = speeds.get(speed) ?? { model, speed, usage: emptyUsage() };
    speeds.set(speed, sum);
    return sum.usage;
  }

  const note = (session: OwningSession, count: number) => things.set(session, (things.get(session) ?? 0) + count);

  function spent(prices?: PriceTable): Spent {
    const sums = [...models.values()].flatMap((speeds) => [...speeds.values()]);
    return { messages, unknownOutputs, ...addUpModels(sums, prices) };
  }

  return {
    addMessages({ session, span }) {
      note(session, span.messages);
      messages += span.messages;
      unknownOutputs += span.unknownOutputs;
      addUsage(sumOf(span.model, span.speed), span.usage);
    },
    addCalls({ session, span }) {
      note(session, span.calls);
      toolCalls += span.calls;
      toolErrors += span.errors;
    },
    addTurns({ session, span }) {
      note(session, span.turns);
      turns += span.turns;
      activeMs += span.activeMs;
    },
    isEmpty: () => messages === 0 && toolCalls === 0 && turns === 0,
    spent,
    figures: (prices) => ({
      ...spent(prices),
      sessions: [...things.values()].filter((count) => count > 0).length,
      turns,
      activeMs,
      toolCalls,
      toolErrors,
    }),
  };
}

const UNNAMED = "unknown";

/** In the same order each time, so that the same numbers give the same sum to the last digit. */
function addUpModels(
  sums: readonly ModelSum[],
  prices: PriceTable | undefined,
): Omit<Spent, "messages" | "unknownOutputs"> {
  const usage: Mutable<Usage> = emptyUsage();
  const unpriced = new Set<string>();
  let knownCostUsd = 0;
  const ordered = sums.toSorted((a, b) => (`${a.model} ${a.speed}` < `${b.model} ${b.speed}` ? -1 : 1));
  for (const { model, speed, usage: own } of ordered) {
    addUsage(usage, own);
    const cost = Object.values(own).every((count) => count === 0)
      ? 0
      : costOf(own, model ?? undefined, speed ?? undefined, prices);
    if (cost === null) unpriced.add(model ?? UNNAMED);
    else knownCostUsd += cost;
  }
  return {
    usage,
    costUsd: unpriced.size > 0 ? null : knownCostUsd,
    knownCostUsd,
    unpricedModels: [...unpriced],
  };
}
