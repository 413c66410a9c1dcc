import { useEffect, useState } from "preact/hooks";
import { type ApiError, change } from "./api.js";
import { toApiError } from "./use-answer.js";

export interface Posted<Answer> {
  readonly answer: Answer | undefined;
  readonly failure: ApiError | undefined;
}

const SETTLE_MS = 150;

/** What the server says to a request that changes nothing yet; asked again when the request is another. */
export function usePosted<Answer>(path: string, request: unknown): Posted<Answer> {
  const [state, setState] = useState<Posted<Answer>>({ answer: undefined, failure: undefined });
  const body = JSON.stringify(request);
  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(() => {
      change<Answer>(path, JSON.parse(body)).then(
        (answer) => isWanted && setState({ answer, failure: undefined }),
        (error: unknown) => isWanted && setState({ answer: undefined, failure: toApiError(error) }),
      );
    }, SETTLE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
      setState({ answer: undefined, failure: undefined });
    };
  }, [path, body]);
  return state;
}
