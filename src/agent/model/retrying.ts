import { setTimeout as sleep } from "node:timers/promises";
import { APIError } from "@anthropic-ai/sdk";
import { ModelError, type RetryNotice } from "./model.js";

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

/** Tries again what may succeed later, with growing pauses or as long as the API asks for. */
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

/** An abort ends the pause; the next attempt then ends by itself. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
