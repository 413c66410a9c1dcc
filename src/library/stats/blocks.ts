import type { PriceTable } from "../../session/messages/cost.js";
import { type MessageSpan, NO_SLOT } from "../entries/ledger.js";
import { type Spent, Tally } from "./tally.js";

/** A five-hour window of the provider's usage limits, or a gap between two. */
export type Block = UsedBlock | GapBlock;

export interface UsedBlock extends Spent {
  readonly kind: "used";
  readonly startAt: string;
  readonly endAt: string;
  readonly firstAt: string; // the first and the last message
  readonly lastAt: string;
  readonly isActive: boolean;
  readonly models: readonly string[];
  readonly burnRate: BurnRate | null; // null for a single moment
  /** Estimated use at the end of the active block, at the current rate. */
  readonly projection: Projection | null;
}

export interface GapBlock {
  readonly kind: "gap";
  readonly startAt: string;
  readonly endAt: string;
}

interface BurnRate {
  readonly tokensPerMinute: number;
  readonly costPerHour: number | null;
}

interface Projection {
  readonly remainingMinutes: number;
  readonly tokens: number;
  readonly costUsd: number | null;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const BLOCK_MS = 5 * HOUR_MS;

interface Slot {
  readonly first: number;
  readonly last: number;
  readonly spans: readonly MessageSpan[];
}

/** A block starts at the full hour of its first message and ends five hours later; a pause of five hours ends it too. */
export function computeBlocks(messages: readonly MessageSpan[], now: number, prices?: PriceTable): Block[] {
  const blocks: Block[] = [];
  for (const slots of splitAtLimits(bySlot(messages))) {
    const block = toBlock(slots, now, prices);
    const before = blocks.at(-1);
    if (before?.kind === "used" && Date.parse(block.firstAt) - Date.parse(before.lastAt) > BLOCK_MS) {
      blocks.push({ kind: "gap", startAt: before.endAt, endAt: block.startAt });
    }
    blocks.push(block);
  }
  return blocks;
}

/** Blocks start and end at full hours, so no slot is split. */
function bySlot(messages: readonly MessageSpan[]): Slot[] {
  const slots = new Map<number, MessageSpan[]>();
  for (const span of messages) {
    if (span.slot === NO_SLOT) continue;
    const spans = slots.get(span.slot);
    if (spans) spans.push(span);
    else slots.set(span.slot, [span]);
  }
  return [...slots.values()]
    .filter((spans) => spans.reduce((sum, span) => sum + span.messages, 0) > 0)
    .map((spans) => ({
      first: Math.min(...spans.map(({ first }) => first)),
      last: Math.max(...spans.map(({ last }) => last)),
      spans,
    }))
    .sort((a, b) => a.first - b.first);
}

function splitAtLimits(slots: readonly Slot[]): Slot[][] {
  const groups: Slot[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const slot of slots) {
    const group = groups.at(-1);
    const last = group?.at(-1)?.last ?? Number.NEGATIVE_INFINITY;
    if (group && slot.first < end && slot.first - last <= BLOCK_MS) group.push(slot);
    else {
      groups.push([slot]);
      end = startOf(slot.first) + BLOCK_MS;
    }
  }
  return groups;
}

function startOf(time: number): number {
  return Math.floor(time / HOUR_MS) * HOUR_MS;
}

function toBlock(slots: readonly Slot[], now: number, prices: PriceTable | undefined): UsedBlock {
  const tally = new Tally();
  const spans = slots.flatMap((slot) => slot.spans);
  for (const span of spans) tally.addMessages(span);
  const spent = tally.spent(prices);
  const [first, last] = [slots[0]?.first ?? 0, slots.at(-1)?.last ?? 0];
  const start = startOf(first);
  const end = start + BLOCK_MS;
  const isActive = now < end && now >= start && now - last < BLOCK_MS;
  const burnRate = toBurnRate(spent, last - first);
  return {
    kind: "used",
    startAt: toIso(start),
    endAt: toIso(end),
    firstAt: toIso(first),
    lastAt: toIso(last),
    isActive,
    models: [...new Set(spans.flatMap(({ model }) => model ?? []))].sort(),
    ...spent,
    burnRate,
    projection: isActive && burnRate ? project(spent, burnRate, end - now) : null,
  };
}

function toBurnRate(spent: Spent, durationMs: number): BurnRate | null {
  if (durationMs <= 0) return null;
  const { costUsd } = spent;
  return {
    tokensPerMinute: (tokensOf(spent) * MINUTE_MS) / durationMs,
    costPerHour: costUsd === null ? null : (costUsd * HOUR_MS) / durationMs,
  };
}

function project(spent: Spent, { tokensPerMinute, costPerHour }: BurnRate, remainingMs: number): Projection {
  const { costUsd } = spent;
  return {
    remainingMinutes: Math.floor(remainingMs / MINUTE_MS),
    tokens: Math.round(tokensOf(spent) + tokensPerMinute * (remainingMs / MINUTE_MS)),
    costUsd: costUsd === null || costPerHour === null ? null : costUsd + costPerHour * (remainingMs / HOUR_MS),
  };
}

function tokensOf({ usage }: Spent): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
