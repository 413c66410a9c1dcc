import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
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
  const asking = useRef<{ isOutdated: boolean }>(undefined);
  // Not an effect: those wait for the next frame.
  useLayoutEffect(() => {
    if (path === null) return;
    const controller = new AbortController();
    const question = { isOutdated: false };
    const end = (state: (old: State<Answer>) => State<Answer>) => {
      if (controller.signal.aborted) return;
      asking.current = undefined;
      setState(state);
      if (question.isOutdated) setRound((before) => before + 1);
    };
    asking.current = question;
    ask<Answer>(path, controller.signal).then(
      (answer) => end(() => ({ path, answer, failure: undefined })),
      (error: unknown) => end((old) => ({ ...old, path, failure: toApiError(error) })),
    );
    return () => {
      controller.abort();
      asking.current = undefined;
    };
  }, [path, round]);
  // Not before the answer that is on its way: else, where much happens, there would never be one.
  const reload = useCallback(() => {
    if (asking.current) asking.current.isOutdated = true;
    else setRound((before) => before + 1);
  }, []);
  const isCurrent = state.path === path;
  return { answer: state.answer, failure: isCurrent ? state.failure : undefined, isCurrent, reload };
}

export function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError("page", String(error), null);
}
