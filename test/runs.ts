const SOAK_FACTOR = 20;

/** How often a property is tried: a bounded sample, or the long version of `npm run soak`. */
export function runs(count: number): { readonly numRuns: number } {
  return { numRuns: process.env["TURNLOG_SOAK"] ? count * SOAK_FACTOR : count };
}
