import type { ApiFailure, StartAnswer } from "../server/api/start.js";

/** Why the server did not answer as asked. */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string | null;

  constructor(code: string, message: string, hint: string | null) {
    super(toSentence(message));
    this.code = code;
    this.hint = hint === null ? null : toSentence(hint);
  }
}

/** The server tells as the command line does, which begins small; the name of the program stays as it is. */
function toSentence(text: string): string {
  return text.startsWith("turnlog") ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

export async function ask<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const response = await reach(path, signal ? { signal } : {});
  return (await response.json()) as Answer;
}

/** Whatever changes or reveals something. */
export async function change<Answer>(path: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
  return (await (await postForFile(path, body, signal)).json()) as Answer;
}

export async function postForFile(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const init = { method: "POST", body: JSON.stringify(body), ...(signal ? { signal } : {}) };
  try {
    return await post(path, init);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "token") throw error;
    start = undefined; // turnlog was started again since
    return post(path, init);
  }
}

async function post(path: string, init: RequestInit): Promise<Response> {
  const { changeToken } = await askStart();
  return reach(path, { ...init, headers: { "content-type": "application/json", "x-turnlog-token": changeToken } });
}

let start: Promise<StartAnswer> | undefined;

/** Asked once: it says what does not change while the server runs. */
function askStart(): Promise<StartAnswer> {
  start ??= ask<StartAnswer>("/api/start").catch((error: unknown) => {
    start = undefined;
    throw error;
  });
  return start;
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new ApiError("unreachable", "turnlog does not answer", "start it again, and open the address it prints");
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
