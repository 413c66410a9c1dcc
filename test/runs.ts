const SOAK_FACTOR = 20;
const SEED = 20_261_116;

/** How a property is tried: always the same bounded sample, or in `npm run soak` many more that nobody has seen. */
export function runs(count: number): { readonly numRuns: number; readonly seed?: number } {
  return process.env["TURNLOG_SOAK"] ? { numRuns: count * SOAK_FACTOR } : { numRuns: count, seed: SEED };
}
