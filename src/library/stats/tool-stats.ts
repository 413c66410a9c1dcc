import type { CallSpan } from "../indexed/ledger.js";
import { percentile, withoutTakenBack } from "./percentile.js";

/** How often a tool was used, how often it failed, and how long it took: from the call's record to its result's. */
export interface ToolStats {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  readonly errorRate: number; // 0 to 1
  /** Calls whose end is known. */
  readonly timed: number;
  readonly meanMs: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

interface ToolSum {
  calls: number;
  errors: number;
  readonly durations: number[];
  readonly takenBack: number[];
}

/** Most used first. */
export function summarizeTools(calls: Iterable<CallSpan>): ToolStats[] {
  const sums = new Map<string, ToolSum>();
  for (const span of calls) {
    const sum = sums.get(span.tool) ?? { calls: 0, errors: 0, durations: [], takenBack: [] };
    sums.set(span.tool, sum);
    sum.calls += span.calls;
    sum.errors += span.errors;
    const durations = span.calls < 0 ? sum.takenBack : sum.durations;
    for (const duration of span.durations) durations.push(duration);
  }
  return [...sums]
    .filter(([, sum]) => sum.calls > 0)
    .map(([name, sum]) => toStats(name, sum))
    .sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
}

function toStats(name: string, { calls, errors, durations, takenBack }: ToolSum): ToolStats {
  const times = withoutTakenBack(durations, takenBack);
  const timed = times.length;
  return {
    name,
    calls,
    errors,
    errorRate: errors / calls,
    timed,
    meanMs: timed === 0 ? null : times.reduce((sum, duration) => sum + duration, 0) / timed,
    p50Ms: percentile(times, 50),
    p95Ms: percentile(times, 95),
  };
}
