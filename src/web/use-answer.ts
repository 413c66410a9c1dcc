import { useCallback, useLayoutEffect, useState } from "preact/hooks";
import { ApiError, ask } from "./api.js";

export interface Asked<Answer> {
  /** The latest one, also while the next is on its way. */
  readonly answer: Answer | undefined;
  readonly failure: ApiError | undefined;
  /** The answer is to what is asked now. */
  readonly isCurrent: boolean;
  reload(): void;
}

interface State<Answer> {
  readonly path: string | null;
  readonly answer: Answer | undefined;
  readonly failure: ApiError | undefined;
}

/** Asks whenever the path changes; null asks nothing. */
export function useAnswer<Answer>(path: string | null): Asked<Answer> {
  const [state, setState] = useState<State<Answer>>({ path: null, answer: undefined, failure: undefined });
  const [round, setRound] = useState(0);
  // Not an effect: those wait for the next frame.
  useLayoutEffect(() => {
    if (path === null) return;
    const controller = new AbortController();
    ask<Answer>(path, controller.signal).then(
      (answer) => setState({ path, answer, failure: undefined }),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setState((old) => ({ ...old, path, failure: toApiError(error) }));
      },
    );
    return () => controller.abort();
  }, [path, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isCurrent = state.path === path;
  return { answer: state.answer, failure: isCurrent ? state.failure : undefined, isCurrent, reload };
}

export function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError("page", String(error), null);
}
