import type { UsageCounters } from "../../format/record/usage-counters.js";

/** Tokens and server tool requests of one message or of many. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly webSearches: number;
  readonly webFetches: number;
}

export function emptyUsage(): Usage {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, webSearches: 0, webFetches: 0 };
}

export function isNothing(usage: Usage): boolean {
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

/** The counters of a message. What was written to the cache beyond the split, or without one, counts as 5m. */
export function toUsage(counters: UsageCounters): Usage {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, webSearches, webFetches } = counters;
  const cacheWrite5m = Math.max(counters.cacheWrite5m, cacheWrite - cacheWrite1h);
  return { input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, webFetches };
}

/** For different messages. */
export function sumUsage(usages: Iterable<Usage>): Usage {
  const sum: { -readonly [Field in keyof Usage]: number } = emptyUsage();
  for (const usage of usages) {
    sum.input += usage.input;
    sum.output += usage.output;
    sum.cacheRead += usage.cacheRead;
    sum.cacheWrite5m += usage.cacheWrite5m;
    sum.cacheWrite1h += usage.cacheWrite1h;
    sum.webSearches += usage.webSearches;
    sum.webFetches += usage.webFetches;
  }
  return sum;
}

/**
 * For lines of the same message: each repeats its usage, some with placeholders. To be taken before `toUsage`, because
 * not every line of a message needs to split the cache figure.
 */
export function maxCounters(a: UsageCounters, b: UsageCounters): UsageCounters {
  return {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cacheRead: Math.max(a.cacheRead, b.cacheRead),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
    cacheWrite5m: Math.max(a.cacheWrite5m, b.cacheWrite5m),
    cacheWrite1h: Math.max(a.cacheWrite1h, b.cacheWrite1h),
    webSearches: Math.max(a.webSearches, b.webSearches),
    webFetches: Math.max(a.webFetches, b.webFetches),
  };
}
