const SOAK_FACTOR = 20;
const SEED = 20_261_116;

/**
 * How a property is tried: always the same bounded sample, or in `npm run soak` many more that nobody has seen
 * (`TURNLOG_SEED` plays one soak again).
 */
export function runs(count: number): { readonly numRuns: number; readonly seed?: number } {
  const { TURNLOG_SOAK: isSoak, TURNLOG_SEED: seed } = process.env;
  if (!isSoak) return { numRuns: count, seed: SEED };
  return { numRuns: count * SOAK_FACTOR, ...(seed ? { seed: Number(seed) } : {}) };
}
