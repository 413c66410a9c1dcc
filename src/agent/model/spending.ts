import type { JsonObject } from "../../format/json.js";
import { toUsageCounters } from "../../format/record/usage-counters.js";
import { costOf, type PriceTable } from "../../session/messages/cost.js";
import { emptyUsage, sumUsage, toUsage, type Usage } from "../../session/messages/usage.js";

/** Tokens and cost of a chat so far: all models, sub-agents and side requests. */
export class Spending {
  readonly #byModel = new Map<string, Usage>();
  readonly #requestedAs = new Map<string, string>();
  #apiMs = 0;

  constructor(
    private readonly prices?: PriceTable,
    /** Also receives everything that is added here. */
    private readonly parent?: Spending,
  ) {}

  /** `model` is the one that answered; `requested` may be another name of it. */
  add(model: string, usage: JsonObject, durationMs: number, requested = model): void {
    const counters = toUsageCounters(usage);
    const before = this.#byModel.get(model) ?? emptyUsage();
    if (counters && model !== "") this.#byModel.set(model, sumUsage([before, toUsage(counters)]));
    this.#requestedAs.set(model, requested);
    this.#apiMs += durationMs;
    this.parent?.add(model, usage, durationMs, requested);
  }

  /** All tokens, however they are priced. */
  get tokens(): number {
    const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = this.usage;
    return input + output + cacheRead + cacheWrite5m + cacheWrite1h;
  }

  /** In USD, for a limit: what answered under a name without a price counts at the price of the name that was asked for. */
  get limitCost(): number {
    return [...this.#byModel].reduce((sum, [model, usage]) => {
      const asked = this.#requestedAs.get(model) ?? model;
      return sum + (this.costOfModel(model) ?? costOf(usage, asked, undefined, this.prices) ?? 0);
    }, 0);
  }

  get apiMs(): number {
    return Math.round(this.#apiMs);
  }

  get usage(): Usage {
    return sumUsage(this.#byModel.values());
  }

  get byModel(): ReadonlyMap<string, Usage> {
    return this.#byModel;
  }

  costOfModel(model: string): number | null {
    return costOf(this.#byModel.get(model) ?? emptyUsage(), model, undefined, this.prices);
  }

  /** In USD; null if a model that was used has no known price. */
  get cost(): number | null {
    return this.#costs.includes(null) ? null : this.knownCost;
  }

  /** In USD, for models with a known price. */
  get knownCost(): number {
    return this.#costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  }

  get #costs(): readonly (number | null)[] {
    return [...this.#byModel.keys()].map((model) => this.costOfModel(model));
  }
}
