/** Times that only grow: 2.1.45 and 2.0.50 drop an answer that has the time of its prompt. */
export class Clock {
  #last: number;

  constructor(
    lastTime = 0,
    private readonly now: () => number = Date.now,
  ) {
    this.#last = lastTime;
  }

  next(): string {
    this.#last = Math.max(this.now(), this.#last + 1);
    return new Date(this.#last).toISOString();
  }
}
