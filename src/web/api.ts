import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApiFailure, Refused, StartAnswer } from "../server/api/start.js";

/** A failed request. */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string | null;

  constructor(code: string, message: string, hint: string | null) {
    super(toSentence(message));
    this.code = code;
    this.hint = hint === null ? null : toSentence(hint);
  }
}

/** Messages start in lower case, as on the command line; the name of the program stays as it is. */
function toSentence(text: string): string {
  return text.startsWith("turnlog") ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

export async function ask<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const response = await request(path, signal ? { signal } : {});
  return (await response.json()) as Answer;
}

/** For requests that change or reveal something. */
export async function change<Answer>(path: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
  return (await (await postForFile(path, body, signal)).json()) as Answer;
}

export function postForFile(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return postAgain(path, { method: "POST", body: JSON.stringify(body), ...(signal ? { signal } : {}) });
}

/** Sends a file as it is. */
export function postBytes(path: string, file: Blob): Promise<Response> {
  return postAgain(path, { method: "POST", body: file });
}

async function postAgain(path: string, init: RequestInit): Promise<Response> {
  try {
    return await post(path, init);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "token") throw error;
    start = undefined; // turnlog was restarted
    return post(path, init);
  }
}

async function post(path: string, init: RequestInit): Promise<Response> {
  const { changeToken } = await askStart();
  const type = init.body instanceof Blob ? "application/octet-stream" : "application/json";
  return request(path, { ...init, headers: { "content-type": type, "x-turnlog-token": changeToken } });
}

let start: Promise<StartAnswer> | undefined;

/** Requested once: the answer does not change while the server runs. */
function askStart(): Promise<StartAnswer> {
  start ??= ask<StartAnswer>("/api/start").catch((error: unknown) => {
    start = undefined;
    throw error;
  });
  return start;
}

async function request(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new ApiError("unreachable", "turnlog is not responding", "start it again, and open the address it prints");
  });
  if (response.ok) return response;
  const failure = (await response.json().catch(() => null)) as ApiFailure | null;
  const { code, message, hint } = failure?.error ?? {
    code: "http",
    message: `answered ${response.status}`,
    hint: null,
  };
  throw new ApiError(code, message, hint);
}

export interface Asked<Answer> {
  /** The latest one, also while the next is loading. */
  readonly answer: Answer | undefined;
  readonly failure: ApiError | undefined;
  /** The answer belongs to the current path. */
  readonly isCurrent: boolean;
  reload(): void;
}

interface State<Answer> {
  readonly path: string | null;
  readonly answer: Answer | undefined;
  readonly failure: ApiError | undefined;
}

/** Requests the path whenever it changes; null requests nothing. */
export function useAnswer<Answer>(path: string | null): Asked<Answer> {
  const [state, setState] = useState<State<Answer>>({ path: null, answer: undefined, failure: undefined });
  const [round, setRound] = useState(0);
  const asking = useRef<{ isOutdated: boolean }>(undefined);
  // A layout effect does not wait for the next frame.
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
  // Waits for the answer that is loading: frequent events would otherwise abort every request.
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

export interface Posted<Answer> {
  readonly answer: Answer | undefined;
  /** Why there is no answer. */
  readonly problem: ApiError | undefined;
}

const SETTLE_MS = 150;
const NOTHING = { answer: undefined, problem: undefined };

/** Posts a preview request, again whenever it changes. */
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
  const { code, message, hint } = answer.refused;
  return { answer: undefined, problem: new ApiError(code, message, hint) };
}
