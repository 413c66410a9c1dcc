/** A value that is computed when it is first needed. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Runs work that could pause after each step to its end. */
export function runSteps<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { value, done } = steps.next();
    if (done) return value;
  }
}
