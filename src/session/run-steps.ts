/** Long work that may pause after each step, done at once. */
export function runSteps<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { value, done } = steps.next();
    if (done) return value;
  }
}
