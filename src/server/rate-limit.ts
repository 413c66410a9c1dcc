export interface RateLimit {
  /** Whether one more is allowed now; takes it if so. */
  take(who: string): boolean;
  /** Whether `take` would give it. */
  has(who: string): boolean;
}

export interface RateOptions {
  readonly burst: number;
  readonly perSecond: number;
  readonly now?: () => number; // ms
}

interface Bucket {
  readonly left: number;
  readonly at: number;
}

const MAX_KNOWN = 1000;

/** So many at once, and then so many each second, for everybody who asks. */
export function createRateLimit({ burst, perSecond, now = () => performance.now() }: RateOptions): RateLimit {
  const buckets = new Map<string, Bucket>();

  function look(who: string): Bucket {
    const at = now();
    const bucket = buckets.get(who) ?? { left: burst, at };
    return { left: Math.min(burst, bucket.left + ((at - bucket.at) / 1000) * perSecond), at };
  }

  return {
    has: (who) => look(who).left >= 1,
    take(who) {
      const { left, at } = look(who);
      if (buckets.size >= MAX_KNOWN && !buckets.has(who)) buckets.clear();
      buckets.set(who, { left: left >= 1 ? left - 1 : left, at });
      return left >= 1;
    },
  };
}
