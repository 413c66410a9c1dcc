import type { UsageFields } from "../format/usage-fields.js";

/** Tokens and server-side calls of one message, or a sum of messages. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly webSearches: number;
  readonly webFetches: number;
}

function emptyUsage(): Usage {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, webSearches: 0, webFetches: 0 };
}

function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    webSearches: a.webSearches + b.webSearches,
    webFetches: a.webFetches + b.webFetches,
  };
}

export function sumUsage(usages: Iterable<Usage>): Usage {
  let sum = emptyUsage();
  for (const usage of usages) sum = addUsage(sum, usage);
  return sum;
}

/** Every record of a message repeats its counters, early ones too low: the largest of each is the message's. */
export function maxUsageFields(a: UsageFields | undefined, b: UsageFields | undefined): UsageFields | undefined {
  if (!a || !b) return a ?? b;
  return {
    input: larger(a.input, b.input),
    output: larger(a.output, b.output),
    cacheRead: larger(a.cacheRead, b.cacheRead),
    cacheWrite: larger(a.cacheWrite, b.cacheWrite),
    cacheWrite5m: larger(a.cacheWrite5m, b.cacheWrite5m),
    cacheWrite1h: larger(a.cacheWrite1h, b.cacheWrite1h),
    webSearches: larger(a.webSearches, b.webSearches),
    webFetches: larger(a.webFetches, b.webFetches),
    speed: b.speed ?? a.speed,
  };
}

function larger(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}

/** Cache writes whose lifetime is not said count as 5-minute ones. */
export function toUsage(fields: UsageFields | undefined): Usage {
  if (!fields) return emptyUsage();
  const divided = (fields.cacheWrite5m ?? 0) + (fields.cacheWrite1h ?? 0);
  return {
    input: fields.input ?? 0,
    output: fields.output ?? 0,
    cacheRead: fields.cacheRead ?? 0,
    cacheWrite5m: (fields.cacheWrite5m ?? 0) + Math.max(0, (fields.cacheWrite ?? 0) - divided),
    cacheWrite1h: fields.cacheWrite1h ?? 0,
    webSearches: fields.webSearches ?? 0,
    webFetches: fields.webFetches ?? 0,
  };
}
