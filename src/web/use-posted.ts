import { useEffect, useState } from "preact/hooks";
import type { Refused } from "../server/api/start.js";
import { ApiError, change } from "./api.js";
import { toApiError } from "./use-answer.js";

export interface Posted<Answer> {
  readonly answer: Answer | undefined;
  /** Why there is none. */
  readonly problem: ApiError | undefined;
}

const SETTLE_MS = 150;
const NOTHING = { answer: undefined, problem: undefined };

/** What the server says to a request that changes nothing yet; asked again when the request is another. */
export function usePosted<Answer extends object>(path: string, request: unknown): Posted<Answer> {
  const [state, setState] = useState<Posted<Answer>>(NOTHING);
  const body = JSON.stringify(request);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      change<Answer | Refused>(path, JSON.parse(body), signal).then(
        (answer) => signal.aborted || setState(toPosted(answer)),
        (error: unknown) => signal.aborted || setState({ answer: undefined, problem: toApiError(error) }),
      );
    }, SETTLE_MS);
    return () => {
      controller.abort();
      clearTimeout(timer);
      setState(NOTHING);
    };
  }, [path, body]);
  return state;
}

function toPosted<Answer extends object>(answer: Answer | Refused): Posted<Answer> {
  if (!("refused" in answer)) return { answer, problem: undefined };
  const { message, hint } = answer.refused;
  return { answer: undefined, problem: new ApiError("refused", message, hint) };
}
