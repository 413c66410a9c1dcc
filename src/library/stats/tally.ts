import { costOf, type PriceTable } from "../../session/messages/cost.js";
import { emptyUsage, type Usage } from "../../session/messages/usage.js";
import { addUsage, type CallSpan, type MessageSpan, type Mutable, type TurnSpan } from "../catalog/ledger.js";

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
}

/** The figures of a day, a project or a session. */
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

  addMessages({ model, speed, messages, unknownOutputs, usage }: MessageSpan): void {
    this.#addModel(model, speed, messages, unknownOutputs, usage);
  }

  addCalls({ calls, errors }: CallSpan): void {
    this.#toolCalls += calls;
    this.#toolErrors += errors;
  }

  addTurns({ turns, activeMs }: TurnSpan): void {
    this.#turns += turns;
    this.#activeMs += activeMs;
  }

  /** Adds a part of the same session. */
  addPart(part: Tally): void {
    for (const { model, speed, messages, unknownOutputs, usage } of part.#models) {
      this.#addModel(model, speed, messages, unknownOutputs, usage);
    }
    this.#turns += part.#turns;
    this.#activeMs += part.#activeMs;
    this.#toolCalls += part.#toolCalls;
    this.#toolErrors += part.#toolErrors;
  }

  /** Adds another session. */
  addSession(session: Tally): void {
    this.addPart(session);
    this.#sessions = (this.#sessions ?? 0) + (session.isEmpty() ? 0 : 1);
  }

  isEmpty(): boolean {
    return this.#toolCalls === 0 && this.#turns === 0 && this.#models.every(({ messages }) => messages === 0);
  }

  /** What each model spent. */
  byModel(): Map<string | null, Tally> {
    const parts = new Map<string | null, Tally>();
    for (const { model, speed, messages, unknownOutputs, usage } of this.#models) {
      const part = parts.get(model) ?? new Tally();
      parts.set(model, part);
      part.#addModel(model, speed, messages, unknownOutputs, usage);
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
      sessions: this.#sessions ?? (this.isEmpty() ? 0 : 1),
      turns: this.#turns,
      activeMs: this.#activeMs,
      toolCalls: this.#toolCalls,
      toolErrors: this.#toolErrors,
    };
  }

  #addModel(model: string | null, speed: string | null, messages: number, unknownOutputs: number, usage: Usage): void {
    const sum = this.#sumOf(model, speed);
    sum.messages += messages;
    sum.unknownOutputs += unknownOutputs;
    addUsage(sum.usage, usage);
  }

  #sumOf(model: string | null, speed: string | null): ModelSum {
    for (const sum of this.#models) if (sum.model === model && sum.speed === speed) return sum;
    const sum = { model, speed, messages: 0, unknownOutputs: 0, usage: emptyUsage() };
    this.#models.push(sum);
    return sum;
  }
}

const UNNAMED = "unknown";

/** In a fixed order, so that the same numbers give the same floating-point sum. */
function addUpModels(sums: readonly ModelSum[], prices: PriceTable | undefined): Spent {
  const usage: Mutable<Usage> = emptyUsage();
  const unpriced = new Set<string>();
  let [messages, unknownOutputs, knownCostUsd] = [0, 0, 0];
  const ordered =
    sums.length < 2 ? sums : sums.toSorted((a, b) => (`${a.model} ${a.speed}` < `${b.model} ${b.speed}` ? -1 : 1));
  for (const sum of ordered) {
    addUsage(usage, sum.usage);
    messages += sum.messages;
    unknownOutputs += sum.unknownOutputs;
    const cost = isNothing(sum.usage) ? 0 : costOf(sum.usage, sum.model ?? undefined, sum.speed ?? undefined, prices);
    if (cost === null) unpriced.add(sum.model ?? UNNAMED);
    else knownCostUsd += cost;
  }
  return {
    messages,
    unknownOutputs,
    usage,
    costUsd: unpriced.size > 0 ? null : knownCostUsd,
    knownCostUsd,
    unpricedModels: [...unpriced],
  };
}

function isNothing(usage: Usage): boolean {
  return (
    usage.input === 0 &&
    usage.output === 0 &&
    usage.cacheRead === 0 &&
    usage.cacheWrite5m === 0 &&
    usage.cacheWrite1h === 0 &&
    usage.webSearches === 0 &&
    usage.webFetches === 0
  );
}
