/** A value that is made when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Long work that may pause after each step, done at once. */
export function runSteps<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { value, done } = steps.next();
    if (done) return value;
  }
}
