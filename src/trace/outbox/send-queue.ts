import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureDataDir } from "../../store/data-dir.js";
import type { Batch, Queue, Signal } from "./batches.js";
import type { Health } from "./health.js";
import type { Outbox } from "./outbox.js";
import { type Mask, type SendResult, sendRequest } from "./send-request.js";
import type { Target } from "./target.js";

export interface SendOptions {
  /** For what targets answer, which is shown and stored. */
  readonly mask: Mask;
  readonly maxBatchBytes?: number;
  readonly now?: () => number;
  readonly onSent?: (target: string, spans: number) => void;
  /** Send even if the target asked to wait or failed recently. */
  readonly isUrgent?: boolean;
  /** How long to wait for a target that accepted something and then fails. */
  readonly patienceMs?: number;
}

/** The result of sending what waits for a target. */
export interface SendReport {
  readonly target: string;
  readonly sent: number; // spans
  readonly points: number; // of metrics, that were sent
  readonly dead: number; // of both
  /** Why sending stopped before the queue was empty. */
  readonly problem: string | null;
  /** When to try again; null: nothing is left to send. */
  readonly nextAt: number | null;
}

/** Before gzip. Langfuse and most collectors accept no more than this per request. */
const MAX_BATCH_BYTES = 4_000_000;

/** The lock of the sender: only one process sends at a time. */
export function traceLockPath(dir: string): string {
  return join(ensureDataDir(dir, "locks"), "trace.lock");
}

/** Sends what is queued, to all targets in parallel. The caller holds the sender's lock. */
export function drainOutbox(outbox: Outbox, targets: readonly Target[], options: SendOptions): Promise<SendReport[]> {
  return Promise.all(targets.map((target) => sendBoth(outbox, target, options)));
}

async function sendBoth(outbox: Outbox, target: Target, options: SendOptions): Promise<SendReport> {
  const [spans, metrics] = await Promise.all([
    new QueueSender(outbox, target, "traces", options).send(),
    new QueueSender(outbox, target, "metrics", options).send(),
  ]);
  const times = [spans, metrics].flatMap(({ nextAt }) => nextAt ?? []);
  return {
    target: target.name,
    sent: spans.sent,
    points: metrics.sent,
    dead: spans.dead + metrics.dead,
    problem: spans.problem ?? (metrics.problem === null ? null : `metrics: ${metrics.problem}`),
    nextAt: times.length === 0 ? null : Math.min(...times),
  };
}

interface QueueReport extends Pick<SendReport, "sent" | "dead"> {
  readonly problem: string | null;
  readonly nextAt: number | null;
}

class QueueSender {
  readonly #queue: Queue;
  readonly #now: () => number;
  #sent = 0;
  #dead = 0;
  /** Of a clock that is never set. */
  #lastSuccess = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly outbox: Outbox,
    private readonly target: Target,
    signal: Signal,
    private readonly options: SendOptions,
  ) {
    this.#queue = { ledger: outbox.ledgerOf(target), signal };
    this.#now = options.now ?? Date.now;
  }

  async send(): Promise<QueueReport> {
    const { outbox, target, options } = this;
    const { isUrgent = false, patienceMs = 0, maxBatchBytes = MAX_BATCH_BYTES } = options;
    const health = outbox.health(this.#queue);
    for (;;) {
      const batch = outbox.nextBatch(this.#queue, maxBatchBytes);
      if (!batch) return this.#report(null, null);
      if (target.problem !== null) return this.#stop(target.problem, health);
      if (!isUrgent && !isDue(health, target, this.#now())) return this.#report(health.lastReason, health.nextAt);
      const items = batch.spans.map(({ json }) => json);
      const result = await sendRequest(target, { signal: batch.signal, items }, options.mask);
      if (result.kind === "unauthorized") return this.#pause(result.reason);
      if (result.kind === "failed") {
        const nextAt = this.#noteFailure(result);
        const waitMs = Math.max(0, nextAt - this.#now());
        if (performance.now() + waitMs > this.#lastSuccess + patienceMs) return this.#report(result.reason, nextAt);
        await sleep(waitMs);
      } else this.#settle(batch, result);
    }
  }

  #report(problem: string | null, nextAt: number | null): QueueReport {
    return { sent: this.#sent, dead: this.#dead, problem, nextAt };
  }

  /** Nothing can be sent at all, such as without keys. */
  #stop(reason: string, { nextAt, pausedWith }: Health): QueueReport {
    this.outbox.note(this.#queue, { kind: "failure", at: this.#now(), reason, nextAt, pausedWith });
    return this.#report(reason, null);
  }

  /** Everything waits until the key is replaced; one request now and then finds out whether it is accepted again. */
  #pause(reason: string): QueueReport {
    const at = this.#now();
    const { failures } = this.outbox.health(this.#queue);
    const nextAt = Math.ceil(at + Math.max(backOff(failures), FIRST_PROBE_MS));
    const pausedWith = this.target.credentials;
    this.outbox.note(this.#queue, { kind: "failure", at, reason, nextAt, pausedWith });
    return this.#report(`${reason}; ${PAUSED}`, nextAt);
  }

  /** Returns the time of the next attempt. */
  #noteFailure({ reason, retryAfterMs }: Extract<SendResult, { kind: "failed" }>): number {
    const at = this.#now();
    const { failures } = this.outbox.health(this.#queue);
    const nextAt = Math.ceil(at + Math.max(backOff(failures), retryAfterMs));
    this.outbox.note(this.#queue, { kind: "failure", at, reason, nextAt });
    return nextAt;
  }

  #settle(batch: Batch, result: Exclude<SendResult, { kind: "failed" | "unauthorized" }>): void {
    const { outbox } = this;
    const spans = batch.spans.length;
    if (result.kind === "accepted") {
      outbox.settle(batch, { state: "sent" });
      this.#sent += spans;
      this.#lastSuccess = performance.now();
      if (batch.signal === "traces") this.options.onSent?.(this.target.name, spans);
      outbox.note(this.#queue, { kind: "success", at: this.#now() });
      return;
    }
    if (result.kind === "tooLarge" && spans > 1) {
      outbox.splitBatch(batch);
      return;
    }
    const { reason } = result;
    outbox.settle(batch, { state: "dead", reason, isPartly: result.kind === "partlyRefused" });
    this.#dead += spans;
    outbox.note(this.#queue, { kind: "failure", at: this.#now(), reason, nextAt: 0 });
  }
}

const PAUSED = "it is paused: replace its key with `turnlog trace install`";
const LONGEST_WAIT_MS = 86_400_000;

/** A new key is tried at once. A time beyond every pause was noted by a clock that was wrong. */
function isDue({ nextAt, pausedWith }: Health, { credentials }: Target, now: number): boolean {
  if (pausedWith !== null && pausedWith !== credentials) return true;
  return nextAt <= now || nextAt > now + LONGEST_WAIT_MS;
}

const FIRST_PAUSE_MS = 1000;
const FIRST_PROBE_MS = 60_000;
const LONGEST_PAUSE_MS = 15 * 60_000;

/** Doubles with each consecutive failure, with jitter. */
function backOff(failures: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 30), LONGEST_PAUSE_MS);
  return pause * (0.5 + Math.random() / 2);
}
