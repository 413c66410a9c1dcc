import { setTimeout as sleep } from "node:timers/promises";
import type { Batch, Outbox } from "./outbox.js";
import { type SendResult, sendRequest } from "./send-request.js";
import type { Target } from "./target.js";

export interface SendOptions {
  readonly maxBatchBytes?: number;
  readonly now?: () => number;
  readonly onSent?: (target: string, spans: number) => void;
  /** Send although the target asked to wait, or failed a moment ago. */
  readonly isUrgent?: boolean;
  /** How long to stay for a target that has taken something and then fails. */
  readonly patienceMs?: number;
}

/** What became of a target's queue. */
export interface SendReport {
  readonly target: string;
  readonly sent: number; // spans
  readonly dead: number;
  /** Why it stopped before the queue was empty. */
  readonly problem: string | null;
  /** When to try again; null: nothing is left to send. */
  readonly nextAt: number | null;
}

/** Before gzip. Langfuse and most collectors take no more than this in one request. */
const MAX_BATCH_BYTES = 4_000_000;

/** Sends what is queued, to all targets at once. Whoever calls it holds the lock of the sender. */
export function emptyOutbox(
  outbox: Outbox,
  targets: readonly Target[],
  options: SendOptions = {},
): Promise<SendReport[]> {
  return Promise.all(targets.map((target) => sendQueue(outbox, target, options)));
}

async function sendQueue(outbox: Outbox, target: Target, options: SendOptions): Promise<SendReport> {
  const { maxBatchBytes = MAX_BATCH_BYTES, now = Date.now, onSent, isUrgent = false, patienceMs = 0 } = options;
  let sent = 0;
  let dead = 0;
  let lastSuccess = Number.NEGATIVE_INFINITY;
  const report = (problem: string | null, nextAt: number | null) => ({
    target: target.name,
    sent,
    dead,
    problem,
    nextAt,
  });
  const health = outbox.health(target.name);
  for (;;) {
    const batch = outbox.nextBatch(target.name, maxBatchBytes);
    if (!batch) return report(null, null);
    if (target.problem !== null) return report(target.problem, null);
    if (!isUrgent && health.nextAt > now()) return report(health.lastReason, health.nextAt);
    const spans = batch.spans.map(({ json }) => json);
    const result = await sendRequest(target, spans);
    if (result.kind === "failed") {
      const nextAt = noteFailure(outbox, target.name, result, now());
      if (nextAt > lastSuccess + patienceMs) return report(result.reason, nextAt);
      await sleep(nextAt - now());
      continue;
    }
    const settled = settle(outbox, batch, result);
    if (settled === "sent") {
      sent += spans.length;
      lastSuccess = now();
      onSent?.(target.name, spans.length);
      outbox.note(target.name, { kind: "success", at: lastSuccess });
    } else if (settled === "dead") {
      dead += spans.length;
      const { reason } = result as Extract<SendResult, { reason: string }>;
      outbox.note(target.name, { kind: "failure", at: now(), reason, nextAt: 0 });
    }
  }
}

/** Gives the time of the next attempt. */
function noteFailure(
  outbox: Outbox,
  target: string,
  { reason, retryAfterMs }: Extract<SendResult, { kind: "failed" }>,
  at: number,
): number {
  const { failures } = outbox.health(target);
  const nextAt = Math.ceil(at + Math.max(backOff(failures), retryAfterMs));
  outbox.note(target, { kind: "failure", at, reason, nextAt });
  return nextAt;
}

function settle(
  outbox: Outbox,
  batch: Batch,
  result: Exclude<SendResult, { kind: "failed" }>,
): "sent" | "dead" | "split" {
  if (result.kind === "accepted") {
    outbox.settle(batch, { state: "sent" });
    return "sent";
  }
  if (result.kind === "tooLarge" && batch.spans.length > 1) {
    outbox.splitBatch(batch);
    return "split";
  }
  outbox.settle(batch, { state: "dead", reason: result.reason, isPartly: result.kind === "partlyRefused" });
  return "dead";
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15 * 60_000;

/** Doubles with each failure in a row, with some chance in it, so that many clients do not come back at once. */
function backOff(failures: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  return pause * (0.5 + Math.random() / 2);
}
