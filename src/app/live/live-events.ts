import type { LiveRow } from "./view-live.js";

/** Something that a user wants to hear of without looking. */
export interface LiveEvent {
  readonly kind: "waiting" | "stuck" | "failed" | "finished" | "overspent";
  readonly row: LiveRow;
  /** In a few words: "waits for permission", "spent more than $5.00". */
  readonly text: string;
}

export interface SpendLimits {
  readonly totalUsd?: number;
  readonly perMinuteUsd?: number;
}

/** What happened between two looks. A session that is seen for the first time begins nothing, but may have spent too much. */
export function liveEvents(before: readonly LiveRow[], after: readonly LiveRow[], limits: SpendLimits): LiveEvent[] {
  const known = new Map(before.map((row) => [row.id, row]));
  return after.flatMap((row) => {
    const was = known.get(row.id);
    return [...stateEvent(was, row), ...spendEvents(was, row, limits)];
  });
}

function stateEvent(was: LiveRow | undefined, row: LiveRow): LiveEvent[] {
  const isSame = was?.state === row.state && was.waitsFor === row.waitsFor;
  if (!was || isSame || row.state === "working") return [];
  const text = describeState(row);
  return [{ kind: row.state, row, text }];
}

/** "waits for permission: Bash: npm test" */
export function describeState({ state, waitsFor, detail }: Pick<LiveRow, "state" | "waitsFor" | "detail">): string {
  const what = state === "waiting" ? WAITS[waitsFor ?? "other"] : state;
  return detail === null ? what : `${what}: ${detail}`;
}

const WAITS = {
  permission: "waits for permission",
  answer: "waits for an answer",
  prompt: "waits for your next prompt",
  other: "waits",
} as const;

function spendEvents(was: LiveRow | undefined, row: LiveRow, { totalUsd, perMinuteUsd }: SpendLimits): LiveEvent[] {
  const isOver = (limit: number | undefined, spent: number | null | undefined) =>
    limit !== undefined && (spent ?? 0) > limit;
  const passes = (limit: number | undefined, read: (of: LiveRow) => number | null) =>
    isOver(limit, read(row)) && !(was && isOver(limit, read(was)));
  const told: LiveEvent[] = [];
  if (passes(totalUsd, (of) => of.totalCostUsd))
    told.push({ kind: "overspent", row, text: `spent more than ${dollars(totalUsd)}` });
  if (passes(perMinuteUsd, (of) => of.costPerMinuteUsd))
    told.push({ kind: "overspent", row, text: `spends more than ${dollars(perMinuteUsd)} a minute` });
  return told;
}

const dollars = (usd: number | undefined) => `$${(usd ?? 0).toFixed(2)}`;
