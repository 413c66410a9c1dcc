import { readSpool } from "../../trace/hook/spool.js";
import { work } from "../../trace/hook/work.js";
import { type Count, type Outbox, withOutbox } from "../../trace/outbox/outbox.js";
import type { SendReport } from "../../trace/outbox/send-queue.js";
import { type SendSessionsOptions, sendQueued } from "../../trace/outbox/send-sessions.js";
import { exportRedactors } from "../redaction.js";
import type { Environment } from "../settings.js";
import { readInstalledTargets, readTraceSettings, requireTarget } from "./trace-settings.js";

/** The hook's worker: stores what hooks reported and sends what is stored. */
export async function runTraceWorker(patienceMs: number, environment: Environment): Promise<void> {
  const settings = await readInstalledTargets(environment);
  const createRedactor = await exportRedactors({ redact: true }, environment);
  await work({ ...settings, createRedactor, patienceMs });
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
    outbox.revive(target, { repeatsPartly: repeat });
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
  const { dir } = await readTraceSettings(environment, target);
  return withOutbox(dir, (outbox) => {
    const states = queued ? ["dead", "queued"] : ["dead"];
    const isOfTarget = (name: string) => target === undefined || name === target;
    const counts = outbox.counts().filter((count) => states.includes(count.state) && isOfTarget(count.target));
    if (!dryRun) outbox.drop(target, queued ? "all" : "dead");
    return counts.reduce((sum, count) => sum + count.spans, 0);
  });
}

export interface TraceStatus {
  readonly targets: readonly TargetStatus[];
  readonly events: number; // of hooks, not handled yet
}

export async function readTraceStatus(environment: Environment): Promise<TraceStatus> {
  const { dir, targets } = await readTraceSettings(environment);
  const status = await withOutbox(dir, (outbox) => {
    const counts = outbox.counts();
    const names = [...new Set([...targets.map(({ name }) => name), ...counts.map(({ target }) => target)])];
    return names.map((name) => describeTarget(name, targets.find((it) => it.name === name)?.url ?? null, outbox));
  });
  return { targets: status, events: readSpool(dir).length };
}

export interface TargetStatus {
  readonly name: string;
  readonly url: string | null; // null: no longer a target
  readonly sent: number; // spans
  readonly queued: number;
  readonly queuedBytes: number;
  readonly refused: readonly RefusedSpans[];
  readonly dropped: number;
  readonly lastSuccess: string | null;
  readonly lastFailure: string | null;
  readonly lastReason: string | null;
  readonly nextAttempt: string | null;
}

export interface RefusedSpans {
  readonly reason: string;
  readonly spans: number;
  /** Some of them arrived, but the receiver does not report which. */
  readonly partly: boolean;
}

function describeTarget(name: string, url: string | null, outbox: Outbox): TargetStatus {
  const counts = outbox.counts().filter(({ target }) => target === name);
  const of = (state: string) => counts.filter((count) => count.state === state);
  const spans = (state: string) => of(state).reduce((sum, count) => sum + count.spans, 0);
  const { lastSuccess, lastFailure, lastReason, nextAt } = outbox.health(name);
  return {
    name,
    url,
    sent: spans("sent"),
    queued: spans("queued"),
    queuedBytes: of("queued").reduce((sum, { bytes }) => sum + bytes, 0),
    refused: of("dead").map(toRefused),
    dropped: spans("dropped"),
    lastSuccess: toTime(lastSuccess),
    lastFailure: toTime(lastFailure),
    lastReason,
    nextAttempt: nextAt > Date.now() ? toTime(nextAt) : null,
  };
}

function toRefused({ reason, spans, isPartly }: Count): RefusedSpans {
  return { reason: reason ?? "", spans, partly: isPartly === 1 };
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
