import { useState } from "preact/hooks";
import { type ApiError, toApiError } from "../api.js";

interface Sending {
  readonly isBusy: boolean;
  readonly problem: ApiError | undefined;
  send(work: () => Promise<void>): void;
}

/** A button that writes: busy while it does, and why it failed. */
export function useSending(): Sending {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiError>();
  const send = (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    work().then(
      () => setBusy(false),
      (error: unknown) => {
        setProblem(toApiError(error));
        setBusy(false);
      },
    );
  };
  return { isBusy, problem, send };
}
