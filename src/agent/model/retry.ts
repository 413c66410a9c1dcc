import { setTimeout as sleep } from "node:timers/promises";
import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { stringAt } from "../../format/json.js";
import { ModelError, type ModelErrorKind, type RetryNotice } from "./model.js";

export interface RetryOptions {
  readonly attempts?: number;
  readonly firstDelayMs?: number;
}

interface Retrying extends RetryOptions {
  readonly onRetry: (notice: RetryNotice) => void;
  readonly signal: AbortSignal;
}

const ATTEMPTS = 6;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;

/** Retries errors that may be temporary, with growing delays or the delay the API asks for. */
export async function retrying<T>(action: () => Promise<T>, options: Retrying): Promise<T> {
  const { attempts = ATTEMPTS, firstDelayMs = FIRST_DELAY_MS, onRetry, signal } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof ModelError) || !isWorthRetrying(error) || attempt >= attempts) throw error;
      const delayMs = askedDelay(error) ?? Math.min(firstDelayMs * 2 ** (attempt - 1), LONGEST_DELAY_MS);
      onRetry({ attempt, ofAttempts: attempts, delayMs, reason: error.message });
      await pause(delayMs, signal);
    }
  }
}

function isWorthRetrying({ kind }: ModelError): boolean {
  return kind === "rate-limit" || kind === "overloaded" || kind === "connection" || kind === "server";
}

function askedDelay({ cause }: ModelError): number | undefined {
  const seconds = cause instanceof APIError ? Number(cause.headers?.get("retry-after") ?? Number.NaN) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, 10 * LONGEST_DELAY_MS) : undefined;
}

/** An abort ends the pause; the next attempt then returns at once. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** Converts an SDK error. */
export function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIError && !(error instanceof APIConnectionError)) return fromApi(error);
  const reason = error instanceof Error ? deepestMessage(error) : String(error);
  return new ModelError("connection", `no connection to the API (${reason})`, undefined, { cause: error });
}

function fromApi(error: APIError): ModelError {
  const type = stringAt(error.error, "error", "type") ?? stringAt(error.error, "type") ?? "";
  const message = stringAt(error.error, "error", "message") ?? stringAt(error.error, "message") ?? error.message;
  const status = typeof error.status === "number" ? error.status : undefined;
  return new ModelError(kindOf(status, type, message), message, status, { cause: error });
}

function kindOf(status: number | undefined, type: string, message: string): ModelErrorKind {
  if (status === 401 || status === 403 || type === "authentication_error") return "authentication";
  if (status === 413 || type === "request_too_large" || /prompt is too long|exceed context limit/i.test(message)) {
    return "too-long";
  }
  if (status === 429 || type === "rate_limit_error") return "rate-limit";
  if (status === 529 || type === "overloaded_error") return "overloaded";
  const isServerSide = status === undefined ? type === "api_error" : status >= 500 || status === 408 || status === 409;
  if (isServerSide) return "server";
  return status === undefined ? "connection" : "refused-request";
}

function deepestMessage(error: Error): string {
  return error.cause instanceof Error ? deepestMessage(error.cause) : error.message;
}
