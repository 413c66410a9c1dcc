import type { CallSpan } from "../entries/ledger.js";

/** Use, failures and durations of a tool; a duration is the time from the call's record to its result's. */
export interface ToolStats {
  readonly name: string;
  readonly calls: number;
  readonly errors: number; // failed, denied or interrupted
  readonly errorRate: number; // 0 to 1
  readonly failed: number;
  readonly denied: number;
  readonly interrupted: number;
  /** Calls whose end is known. */
  readonly timed: number;
  readonly meanMs: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

interface ToolSum {
  calls: number;
  errors: number;
  failed: number;
  denied: number;
  interrupted: number;
  readonly durations: number[];
  readonly cancelled: number[];
}

/** Most used first. */
export function summarizeTools(calls: Iterable<CallSpan>): ToolStats[] {
  const sums = new Map<string, ToolSum>();
  for (const span of calls) {
    const sum = sums.get(span.tool) ?? noCalls();
    sums.set(span.tool, sum);
    sum.calls += span.calls;
    sum.errors += span.errors;
    sum.failed += span.failed;
    sum.denied += span.denied;
    sum.interrupted += span.interrupted;
    const durations = span.calls < 0 ? sum.cancelled : sum.durations;
    for (const duration of span.durations) durations.push(duration);
  }
  return [...sums]
    .filter(([, sum]) => sum.calls > 0)
    .map(([name, sum]) => toStats(name, sum))
    .sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
}

function noCalls(): ToolSum {
  return { calls: 0, errors: 0, failed: 0, denied: 0, interrupted: 0, durations: [], cancelled: [] };
}

function toStats(name: string, sum: ToolSum): ToolStats {
  const { calls, errors, failed, denied, interrupted, durations, cancelled } = sum;
  const times = withoutCancelled(durations, cancelled);
  const timed = times.length;
  return {
    name,
    calls,
    errors,
    errorRate: errors / calls,
    failed,
    denied,
    interrupted,
    timed,
    meanMs: timed === 0 ? null : times.reduce((sum, duration) => sum + duration, 0) / timed,
    p50Ms: percentile(times, 50),
    p95Ms: percentile(times, 95),
  };
}

/** The smallest value that at least `percent` % of the values do not exceed; null for no values. Reorders the values. */
export function percentile(values: Float64Array, percent: number): number | null {
  if (values.length === 0) return null;
  return selectNth(values, Math.max(1, Math.ceil((percent / 100) * values.length)) - 1);
}

/** Hoare's selection: sorting all durations of a library takes longer than all other statistics together. */
function selectNth(values: Float64Array, n: number): number {
  const at = (index: number) => values[index] ?? 0;
  let [left, right] = [0, values.length - 1];
  while (left < right) {
    const pivot = at((left + right) >>> 1);
    let [low, high] = [left, right];
    while (low <= high) {
      while (at(low) < pivot) low += 1;
      while (at(high) > pivot) high -= 1;
      if (low > high) break;
      [values[low], values[high]] = [at(high), at(low)];
      low += 1;
      high -= 1;
    }
    if (n <= high) right = high;
    else if (n >= low) left = low;
    else break;
  }
  return at(n);
}

/** The values without the cancelled ones, each removed once. */
export function withoutCancelled(values: readonly number[], cancelled: readonly number[]): Float64Array {
  if (cancelled.length === 0) return new Float64Array(values);
  const left = new Map<number, number>();
  for (const value of cancelled) left.set(value, (left.get(value) ?? 0) + 1);
  return new Float64Array(
    values.filter((value) => {
      const count = left.get(value) ?? 0;
      if (count > 0) left.set(value, count - 1);
      return count === 0;
    }),
  );
}
