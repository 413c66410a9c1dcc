import { addUpCosts, costOfSpend, type PriceTable } from "../../session/messages/cost.js";
import { emptyUsage, type Usage } from "../../session/messages/usage.js";
import type { SpentPart } from "../../session/number-rows.js";
import type { Failures } from "../../session/totals.js";
import { addUsage, type CallSpan, type MessageSpan, type Mutable, type TurnSpan } from "../entries/ledger.js";

/** Usage and cost of some messages. */
export interface Spent {
  readonly messages: number;
  /** Messages whose output tokens are not recorded. */
  readonly unknownOutputs: number;
  readonly usage: Usage;
  /** Null if any model has no known price. */
  readonly costUsd: number | null;
  /** Cost of the models with a known price. */
  readonly knownCostUsd: number;
  readonly unpricedModels: readonly string[];
  /** Of the cost, in sub-agents; null if any of their models has no known price. */
  readonly subagentCostUsd: number | null;
  /** Of the cost, on rewound branches. */
  readonly rewoundCostUsd: number | null;
}

/** The figures of a day, a project or a session. */
export interface Figures extends Spent, Failures {
  readonly sessions: number;
  readonly turns: number;
  readonly activeMs: number; // turns from prompt to last record
  readonly toolCalls: number;
  readonly toolErrors: number; // failed, denied or interrupted
}

interface ModelSum {
  readonly part: SpentPart;
  readonly model: string | null;
  readonly speed: string | null;
  messages: number;
  unknownOutputs: number;
  readonly usage: Mutable<Usage>;
}

/** Sums spans of one session; negative spans may come before those they cancel. */
export class Tally {
  /** Usually one, rarely more than a few: a map would be slower. */
  readonly #models: ModelSum[] = [];
  #sessions: number | undefined;
  #turns = 0;
  #activeMs = 0;
  #toolCalls = 0;
  #toolErrors = 0;
  #failed = 0;
  #denied = 0;
  #interrupted = 0;
  #apiErrors = 0;

  addMessages(span: MessageSpan): void {
    this.#addModel(span);
  }

  addCalls({ calls, errors, failed, denied, interrupted }: CallSpan): void {
    this.#toolCalls += calls;
    this.#toolErrors += errors;
    this.#failed += failed;
    this.#denied += denied;
    this.#interrupted += interrupted;
  }

  addTurns({ turns, activeMs, apiErrors }: TurnSpan): void {
    this.#turns += turns;
    this.#activeMs += activeMs;
    this.#apiErrors += apiErrors;
  }

  /** Adds a part of the same session. */
  addPart(part: Tally): void {
    for (const sum of part.#models) this.#addModel(sum);
    this.#turns += part.#turns;
    this.#activeMs += part.#activeMs;
    this.#toolCalls += part.#toolCalls;
    this.#toolErrors += part.#toolErrors;
    this.#failed += part.#failed;
    this.#denied += part.#denied;
    this.#interrupted += part.#interrupted;
    this.#apiErrors += part.#apiErrors;
  }

  /** Adds another session. */
  addSession(session: Tally): void {
    this.addPart(session);
    this.#sessions = (this.#sessions ?? 0) + (session.isEmpty() ? 0 : 1);
  }

  isEmpty(): boolean {
    return (
      this.#toolCalls === 0 &&
      this.#turns === 0 &&
      this.#apiErrors === 0 &&
      this.#models.every(({ messages }) => messages === 0)
    );
  }

  /** What each model spent. */
  byModel(): Map<string | null, Tally> {
    const parts = new Map<string | null, Tally>();
    for (const sum of this.#models) {
      const part = parts.get(sum.model) ?? new Tally();
      parts.set(sum.model, part);
      part.#addModel(sum);
    }
    return parts;
  }

  spent(prices?: PriceTable): Spent {
    return addUpModels(this.#models, prices);
  }

  figures(prices?: PriceTable): Figures {
    const spent = this.spent(prices);
    return {
      messages: spent.messages,
      unknownOutputs: spent.unknownOutputs,
      usage: spent.usage,
      costUsd: spent.costUsd,
      knownCostUsd: spent.knownCostUsd,
      unpricedModels: spent.unpricedModels,
      subagentCostUsd: spent.subagentCostUsd,
      rewoundCostUsd: spent.rewoundCostUsd,
      sessions: this.#sessions ?? (this.isEmpty() ? 0 : 1),
      turns: this.#turns,
      activeMs: this.#activeMs,
      toolCalls: this.#toolCalls,
      toolErrors: this.#toolErrors,
      failedToolCalls: this.#failed,
      deniedToolCalls: this.#denied,
      interruptedToolCalls: this.#interrupted,
      apiErrors: this.#apiErrors,
    };
  }

  #addModel({ part, model, speed, messages, unknownOutputs, usage }: Readonly<ModelSum>): void {
    const sum = this.#sumOf(part, model, speed);
    sum.messages += messages;
    sum.unknownOutputs += unknownOutputs;
    addUsage(sum.usage, usage);
  }

  #sumOf(part: SpentPart, model: string | null, speed: string | null): ModelSum {
    for (const sum of this.#models) if (sum.model === model && sum.speed === speed && sum.part === part) return sum;
    const sum = { part, model, speed, messages: 0, unknownOutputs: 0, usage: emptyUsage() };
    this.#models.push(sum);
    return sum;
  }
}

export function tallyAt<Key>(tallies: Map<Key, Tally>, key: Key): Tally {
  const tally = tallies.get(key) ?? new Tally();
  tallies.set(key, tally);
  return tally;
}

/** Without those whose counts were all cancelled. */
export function filled<Key>(tallies: ReadonlyMap<Key, Tally>): [Key, Tally][] {
  return [...tallies].filter(([, tally]) => !tally.isEmpty());
}

export function byCost(a: Spent, b: Spent): number {
  return b.knownCostUsd - a.knownCostUsd || b.usage.output - a.usage.output || b.messages - a.messages;
}

const UNNAMED = "unknown";

function addUpModels(sums: readonly ModelSum[], prices: PriceTable | undefined): Spent {
  const usage: Mutable<Usage> = emptyUsage();
  let [messages, unknownOutputs] = [0, 0];
  for (const sum of sums) {
    addUsage(usage, sum.usage);
    messages += sum.messages;
    unknownOutputs += sum.unknownOutputs;
  }
  const { known, unpriced } = addUpCosts(sums, prices);
  return {
    messages,
    unknownOutputs,
    usage,
    costUsd: unpriced.length > 0 ? null : known,
    knownCostUsd: known,
    unpricedModels: [...new Set(unpriced.map(({ model }) => model ?? UNNAMED))],
    subagentCostUsd: costOfPart(sums, "subagent", prices),
    rewoundCostUsd: costOfPart(sums, "rewound", prices),
  };
}

function costOfPart(sums: readonly ModelSum[], part: SpentPart, prices: PriceTable | undefined): number | null {
  return costOfSpend(
    sums.filter((sum) => sum.part === part),
    prices,
  );
}
