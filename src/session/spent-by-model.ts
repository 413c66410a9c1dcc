import { costOf, type PriceTable } from "./cost.js";
import { isCountedMessage, type MessageSketch, usageOf } from "./session-message.js";
import { sumUsage, type Usage } from "./usage.js";

/** Tokens of one model at one speed: a price is the same for all of them. */
export interface ModelSpend {
  readonly model: string | null;
  readonly speed: string | null;
  readonly usage: Usage;
}

export function spentByModel(messages: Iterable<MessageSketch>): ModelSpend[] {
  const groups = new Map<string, ModelSpend>();
  for (const message of messages) {
    if (!isCountedMessage(message) || !message.counters) continue;
    const { model = null, speed = null } = message;
    const key = `${model} ${speed}`;
    const known = groups.get(key);
    const usage = known ? sumUsage([known.usage, usageOf(message)]) : usageOf(message);
    groups.set(key, { model, speed, usage });
  }
  return [...groups.values()];
}

/** Null as soon as one model has no known price. */
export function costOfSpend(spent: readonly ModelSpend[], prices?: PriceTable): number | null {
  const costs = spent.map(({ usage, model, speed }) => costOf(usage, model ?? undefined, speed ?? undefined, prices));
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}
