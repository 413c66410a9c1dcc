import { isCountedMessage, type MessageOutline, usageOf } from "./message.js";
import { plainModelName } from "./model-name.js";
import bundled from "./prices.json" with { type: "json" };
import { isNothing, sumUsage, type Usage } from "./usage.js";

/** USD per million tokens. */
export interface Price {
  readonly models: readonly string[];
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly speed?: string;
}

export interface PriceTable {
  readonly asOf: string;
  readonly prices: readonly Price[];
}

export const BUNDLED_PRICES: PriceTable = bundled;

/** In USD; null for a model without a known price. */
export function costOf(
  usage: Usage,
  model: string | undefined,
  speed?: string,
  table: PriceTable = BUNDLED_PRICES,
): number | null {
  const price = priceOf(model, speed, table);
  if (!price) return null;
  const perMillion =
    usage.input * price.input +
    usage.output * price.output +
    usage.cacheRead * price.cacheRead +
    usage.cacheWrite5m * price.cacheWrite5m +
    usage.cacheWrite1h * price.cacheWrite1h;
  return perMillion / 1_000_000;
}

/** A library has millions of messages and few models. */
const knownPrices = new WeakMap<PriceTable, Map<string, Price | undefined>>();

export function priceOf(
  model: string | undefined,
  speed: string | undefined,
  table: PriceTable = BUNDLED_PRICES,
): Price | undefined {
  if (model === undefined) return undefined;
  const wanted = speed === "fast" ? "fast" : undefined;
  const known = knownPrices.get(table) ?? new Map<string, Price | undefined>();
  knownPrices.set(table, known);
  const key = `${model} ${wanted}`;
  if (!known.has(key)) known.set(key, searchPrice(model, wanted, table));
  return known.get(key);
}

function searchPrice(model: string, speed: string | undefined, table: PriceTable): Price | undefined {
  const name = plainModelName(model);
  return table.prices.find(
    (price) => price.speed === speed && price.models.some((candidate) => plainModelName(candidate) === name),
  );
}

/** Tokens of one model at one speed: a price is the same for all of them. */
export interface ModelSpend {
  readonly model: string | null;
  readonly speed: string | null;
  readonly usage: Usage;
}

export function spentByModel(messages: Iterable<MessageOutline>): ModelSpend[] {
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

/** Null as soon as one model without a known price was used. */
export function costOfSpend(spent: readonly ModelSpend[], prices?: PriceTable): number | null {
  if (spent.length === 0) return 0;
  const { known, unpriced } = addUpCosts(spent, prices);
  return unpriced.length > 0 ? null : known;
}

/** The cost at known prices, and what has none. Summed in a fixed order, so that the same numbers give the same floating-point sum. */
export function addUpCosts(
  spent: readonly ModelSpend[],
  prices?: PriceTable,
): { readonly known: number; readonly unpriced: readonly ModelSpend[] } {
  const unpriced: ModelSpend[] = [];
  let known = 0;
  for (const one of joinModels(spent)) {
    if (isNothing(one.usage)) continue;
    const cost = costOf(one.usage, one.model ?? undefined, one.speed ?? undefined, prices);
    if (cost === null) unpriced.push(one);
    else known += cost;
  }
  return { known, unpriced };
}

function joinModels(spent: readonly ModelSpend[]): readonly ModelSpend[] {
  if (spent.length < 2) return spent;
  const byName = new Map<string, ModelSpend>();
  for (const { model, speed, usage } of spent) {
    const name = `${model} ${speed}`;
    const known = byName.get(name);
    byName.set(name, { model, speed, usage: known ? sumUsage([known.usage, usage]) : usage });
  }
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
