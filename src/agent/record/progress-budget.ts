const MIN_INTERVAL_MS = 1_000;
const MAX_LINES = 500;
const MAX_BYTES = 2 * 1024 * 1024;

/** Progress must never make a session large (2.1 GB were reported of it): so often, so many, so much, and no more. */
export class ProgressBudget {
  readonly #lastAt = new Map<string, number>();
  #lines = 0;
  #bytes = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** Whether a sign of life of this call may be written. */
  takes(callId: string, data: unknown): boolean {
    const now = this.now();
    const size = JSON.stringify(data).length;
    const isTooSoon = now - (this.#lastAt.get(callId) ?? Number.NEGATIVE_INFINITY) < MIN_INTERVAL_MS;
    if (isTooSoon || this.#lines >= MAX_LINES || this.#bytes + size > MAX_BYTES) return false;
    this.#lastAt.set(callId, now);
    this.#lines += 1;
    this.#bytes += size;
    return true;
  }
}
