import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../../errors.js";
import { countSpooled } from "../../trace/hook/spool.js";
import { type WorkOptions, work } from "../../trace/hook/work.js";
import type { Queue } from "../../trace/outbox/batches.js";
import { type Count, type Outbox, withOutbox } from "../../trace/outbox/outbox.js";
import type { SendReport } from "../../trace/outbox/send-queue.js";
import { type SendSessionsOptions, sendQueued } from "../../trace/outbox/send-sessions.js";
import { exportRedactors } from "../redaction.js";
import type { Environment } from "../settings.js";
import { readTraceSettings, requireTarget } from "./trace-settings.js";

/** The hook's worker: stores what hooks reported and sends what is stored. */
export async function runTraceWorker(patienceMs: number, environment: Environment): Promise<void> {
  const settings = await readTraceSettings(environment);
  const createRedactor = await exportRedactors({ redact: true }, environment);
  await work({ ...settings, createRedactor, patienceMs });
}

export interface Flushed {
  readonly status: readonly TargetStatus[];
  /** Events of hooks that are not handled. */
  readonly events: number;
  readonly isAllSent: boolean;
}

const FLUSH_POLL_MS = 1000;

/** Stores what hooks reported and sends everything, for as long as it takes, up to a limit. For the end of a job. */
export async function flushTraces(timeoutMs: number, environment: Environment): Promise<Flushed> {
  const settings = await readTraceSettings(environment);
  requireTarget(settings);
  const createRedactor = await exportRedactors({ redact: true }, environment);
  const deadline = performance.now() + timeoutMs;
  const left = () => Math.max(0, deadline - performance.now());
  for (;;) {
    const targets = settings.targets.map((it) => ({ ...it, timeoutMs: Math.min(it.timeoutMs, Math.ceil(left()) + 1) }));
    await handOver({ ...settings, targets, createRedactor, patienceMs: 0, isUrgent: true, lockPatienceMs: left() });
    const { targets: status, events } = await readTraceStatus(environment);
    const installed = status.filter(({ url }) => url !== null);
    const queues = installed.flatMap((it) => [it, ...(it.metrics ? [{ ...it.metrics, problem: it.problem }] : [])]);
    const waiting = queues.reduce((sum, { queued }) => sum + queued, 0);
    const refused = queues.reduce((sum, it) => sum + it.refused.reduce((all, { spans }) => all + spans, 0), 0);
    const isDone = waiting === 0 && events === 0;
    const isHopeless = events === 0 && queues.every((it) => it.queued === 0 || it.paused || it.problem !== null);
    if (isDone || isHopeless || left() === 0) return { status: installed, events, isAllSent: isDone && refused === 0 };
    await sleep(Math.min(FLUSH_POLL_MS, left()));
  }
}

/** Another worker may have the events in hand, and wait for a target; what it leaves is sent here. */
async function handOver(options: WorkOptions): Promise<void> {
  try {
    const { isDone } = await work(options);
    if (isDone) return;
    await withOutbox(options.dir, (outbox) =>
      sendQueued(outbox, { ...options, mask: options.createRedactor().text }, options),
    );
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== "locked") throw error;
  }
}

export interface RetryOptions extends Pick<SendSessionsOptions, "onSent"> {
  /** The name of one target; else all. */
  readonly target?: string | undefined;
  /** Also requests that were refused in part, although some of their spans will arrive twice. */
  readonly repeat?: boolean;
}

/** Sends what waits or was refused. */
export async function retryTraces(
  { target, repeat = false, ...callbacks }: RetryOptions,
  environment: Environment,
): Promise<readonly SendReport[]> {
  const settings = await readTraceSettings(environment, target);
  requireTarget(settings);
  return withOutbox(settings.dir, (outbox) => {
    const ledgers = settings.targets.map((it) => outbox.ledgerOf(it));
    outbox.revive(ledgers, { repeatsPartly: repeat });
    return sendQueued(outbox, { ...settings, ...callbacks });
  });
}

export interface DropOptions {
  readonly target?: string | undefined;
  /** Also what still waits to be sent. */
  readonly queued?: boolean;
  readonly dryRun: boolean;
}

/** Gives up refused spans. Returns how many were, or would be, dropped. */
export async function dropTraces(
  { target, queued = false, dryRun }: DropOptions,
  environment: Environment,
): Promise<number> {
  const { dir, targets } = await readTraceSettings(environment);
  return withOutbox(dir, (outbox) => {
    for (const it of targets) outbox.ledgerOf(it);
    const ledgers = outbox.ledgers().filter(({ name }) => target === undefined || name === target);
    const ids = ledgers.map(({ ledger }) => ledger);
    const states = queued ? ["dead", "queued"] : ["dead"];
    const counts = outbox.counts().filter(({ state, ledger }) => states.includes(state) && ids.includes(ledger));
    if (!dryRun) outbox.drop(ids, queued ? "all" : "dead");
    return counts.reduce((sum, { spans }) => sum + spans, 0);
  });
}

export interface TraceStatus {
  readonly targets: readonly TargetStatus[];
  readonly events: number; // of hooks, not handled yet
  /** Nothing is sent by itself. */
  readonly isOff: boolean;
  /** Projects of which nothing is sent. */
  readonly off: readonly string[];
}

export async function readTraceStatus(environment: Environment): Promise<TraceStatus> {
  const { dir, targets, switchedOff } = await readTraceSettings(environment);
  const status = await withOutbox(dir, (outbox) => {
    const current = targets.map((target) => ({ target, ledger: outbox.ledgerOf(target) }));
    const installed = current.map(({ target, ledger }) =>
      describeLedger(
        { ledger, name: target.name, url: target.url, problem: target.problem, hasMetrics: target.metrics },
        outbox,
      ),
    );
    const others = outbox.ledgers().filter(({ ledger }) => !current.some((it) => it.ledger === ledger));
    const left = others.map((it) => describeLedger({ ...it, url: null, problem: null, hasMetrics: false }, outbox));
    return [...installed, ...left.filter((it) => it.sent + it.queued + it.dropped + it.refused.length > 0)];
  });
  const { isOff = false, off = [] } = switchedOff;
  return { targets: status, events: countSpooled(dir), isOff, off };
}

export interface TargetStatus extends QueueStatus {
  readonly name: string;
  readonly url: string | null; // null: no longer a target
  /** The same of its metrics; null: it gets none. */
  readonly metrics: QueueStatus | null;
  /** Why nothing can be sent to it at all. */
  readonly problem: string | null;
}

/** What waits, was sent and was refused. */
export interface QueueStatus {
  readonly sent: number; // spans, or data points
  readonly queued: number;
  readonly queuedBytes: number;
  readonly refused: readonly RefusedSpans[];
  readonly dropped: number;
  readonly lastSuccess: string | null;
  readonly lastFailure: string | null;
  readonly lastReason: string | null;
  readonly nextAttempt: string | null;
  /** The last request was not accepted. */
  readonly fails: boolean;
  /** It refused the key: everything waits until the key is replaced. */
  readonly paused: boolean;
}

export interface RefusedSpans {
  readonly reason: string;
  readonly spans: number;
  /** Some of them arrived, but the receiver does not report which. */
  readonly partly: boolean;
}

interface NamedLedger {
  readonly ledger: string;
  readonly name: string;
  readonly url: string | null;
  readonly problem: string | null;
  readonly hasMetrics: boolean;
}

function describeLedger({ ledger, name, url, problem, hasMetrics }: NamedLedger, outbox: Outbox): TargetStatus {
  const metrics = describeQueue({ ledger, signal: "metrics" }, outbox);
  const { sent, queued, dropped, refused } = metrics;
  const isUsed = hasMetrics || sent + queued + dropped + refused.length > 0;
  const spans = describeQueue({ ledger, signal: "traces" }, outbox);
  return { name, url, ...spans, metrics: isUsed ? metrics : null, problem };
}

function describeQueue(queue: Queue, outbox: Outbox): QueueStatus {
  const counts = outbox.counts().filter(({ ledger, signal }) => ledger === queue.ledger && signal === queue.signal);
  const of = (state: string) => counts.filter((count) => count.state === state);
  const spans = (state: string) => of(state).reduce((sum, count) => sum + count.spans, 0);
  const { lastSuccess, lastFailure, lastReason, nextAt, pausedWith, failures } = outbox.health(queue);
  return {
    sent: spans("sent"),
    queued: spans("queued"),
    queuedBytes: of("queued").reduce((sum, { bytes }) => sum + bytes, 0),
    refused: of("dead").map(toRefused),
    dropped: spans("dropped"),
    lastSuccess: toTime(lastSuccess),
    lastFailure: toTime(lastFailure),
    lastReason,
    nextAttempt: nextAt > Date.now() ? toTime(nextAt) : null,
    fails: failures > 0,
    paused: pausedWith !== null,
  };
}

function toRefused({ reason, spans, isPartly }: Count): RefusedSpans {
  return { reason: reason ?? "", spans, partly: isPartly === 1 };
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
