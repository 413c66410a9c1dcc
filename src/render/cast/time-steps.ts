import type { CastStep } from "./cast-step.js";

export interface TimedOutput {
  readonly at: number; // seconds since the beginning
  readonly text: string;
}

/** No eye sees what is shown for less. */
const SHORTEST_SECONDS = 1 / 30;
/** What stands at the end is read. */
const LAST_SECONDS = 2;

/** Steps on the clock of the recording: `speed` times faster than life, and joined where they follow too fast. */
export function* timeSteps(steps: Iterable<CastStep>, speed: number): Generator<TimedOutput> {
  let now = 0;
  let waiting: TimedOutput | undefined;
  for (const { pause, text } of steps) {
    now += pause / speed;
    if (waiting && now - waiting.at >= SHORTEST_SECONDS) {
      yield waiting;
      waiting = undefined;
    }
    waiting = { at: waiting?.at ?? now, text: (waiting?.text ?? "") + text };
  }
  if (waiting) yield waiting;
  yield { at: now + LAST_SECONDS, text: "" };
}
