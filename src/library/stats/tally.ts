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
export class Tally {
  /** A few at most, most often one: a map would be slower. */
  readonly #models: ModelSum[] = [];
  /** How much there is of each session. Most tallies are about one. */
  #session: OwningSession | undefined;
  #ofSession = 0;
  #others: Map<OwningSession, number> | undefined;
  #messages = 0;
  #unknownOutputs = 0;
  #turns = 0;
  #activeMs = 0;
  #toolCalls = 0;
  #toolErrors = 0;

  addMessages({ session, span }: Owned<MessageSpan>): void {
    this.#note(session, span.messages);
    this.#messages += span.messages;
    this.#unknownOutputs += span.unknownOutputs;
    addUsage(this.#sumOf(span.model, span.speed), span.usage);
  }

  addCalls({ session, span }: Owned<CallSpan>): void {
    this.#note(session, span.calls);
    this.#toolCalls += span.calls;
    this.#toolErrors += span.errors;
  }

  addTurns({ session, span }: Owned<TurnSpan>): void {
    this.#note(session, span.turns);
    this.#turns += span.turns;
    this.#activeMs += span.activeMs;
  }

  add(other: Tally): void {
    for (const { model, speed, usage } of other.#models) addUsage(this.#sumOf(model, speed), usage);
    if (other.#session) this.#note(other.#session, other.#ofSession);
    for (const [session, count] of other.#others ?? []) this.#note(session, count);
    this.#messages += other.#messages;
    this.#unknownOutputs += other.#unknownOutputs;
    this.#turns += other.#turns;
    this.#activeMs += other.#activeMs;
    this.#toolCalls += other.#toolCalls;
    this.#toolErrors += other.#toolErrors;
  }

  isEmpty(): boolean {
    return this.#messages === 0 && this.#toolCalls === 0 && this.#turns === 0;
  }

  spent(prices?: PriceTable): Spent {
    const { usage, costUsd, knownCostUsd, unpricedModels } = addUpModels(this.#models, prices);
    return {
      messages: this.#messages,
      unknownOutputs: this.#unknownOutputs,
      usage,
      costUsd,
      knownCostUsd,
      unpricedModels,
    };
  }

  figures(prices?: PriceTable): Figures {
    return {
      ...this.spent(prices),
      sessions: this.#countSessions(),
      turns: this.#turns,
      activeMs: this.#activeMs,
      toolCalls: this.#toolCalls,
      toolErrors: this.#toolErrors,
    };
  }

  #countSessions(): number {
    let sessions = this.#ofSession > 0 ? 1 : 0;
    for (const count of this.#others?.values() ?? []) if (count > 0) sessions += 1;
    return sessions;
  }

  #note(session: OwningSession, count: number): void {
    this.#session ??= session;
    if (session === this.#session) this.#ofSession += count;
    else {
      this.#others ??= new Map();
      this.#others.set(session, (this.#others.get(session) ?? 0) + count);
    }
  }

  #sumOf(model: string | null, speed: string | null): Mutable<Usage> {
    for (const sum of this.#models) if (sum.model === model && sum.speed === speed) return sum.usage;
    const sum = { model, speed, usage: emptyUsage() };
    this.#models.push(sum);
    return sum.usage;
  }
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
  const ordered =
    sums.length < 2 ? sums : sums.toSorted((a, b) => (`${a.model} ${a.speed}` < `${b.model} ${b.speed}` ? -1 : 1));
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
