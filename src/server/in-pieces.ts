import { setImmediate as nextTurn } from "node:timers/promises";

const PIECE_MS = 20;

/** Long work that may pause after each step: others are answered in between. */
export async function inPieces<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (let began = performance.now(); ; ) {
    const { value, done } = steps.next();
    if (done) return value;
    if (performance.now() - began < PIECE_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}
