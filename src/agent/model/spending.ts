import type { JsonObject } from "../../format/json.js";
import { toUsageCounters } from "../../format/record/usage-counters.js";
import { costOf, type PriceTable } from "../../session/messages/cost.js";
import { emptyUsage, sumUsage, toUsage, type Usage } from "../../session/messages/usage.js";

/** What a chat spent so far, on all models, sub-agents and asides included. */
export class Spending {
  readonly #byModel = new Map<string, Usage>();
  #apiMs = 0;

  constructor(
    private readonly prices?: PriceTable,
    /** What is spent here is spent there too. */
    private readonly parent?: Spending,
  ) {}

  add(model: string, usage: JsonObject, durationMs: number): void {
    const counters = toUsageCounters(usage);
    const before = this.#byModel.get(model) ?? emptyUsage();
    if (counters && model !== "") this.#byModel.set(model, sumUsage([before, toUsage(counters)]));
    this.#apiMs += durationMs;
    this.parent?.add(model, usage, durationMs);
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

  /** In USD; null when the price of a model that was used is not known. */
  get cost(): number | null {
    return this.#costs.includes(null) ? null : this.knownCost;
  }

  /** In USD, of the models whose price is known. */
  get knownCost(): number {
    return this.#costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  }

  get #costs(): readonly (number | null)[] {
    return [...this.#byModel.keys()].map((model) => this.costOfModel(model));
  }
}
