import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { numberAt, objectAt, stringAt, tryParseJson } from "../../format/json.js";
import { ensureDataDir } from "../../store/data-dir.js";
import { jsonRequest, protobufRequest } from "../spans/otlp-request.js";
import { toResource } from "../spans/resource.js";
import type { Batch, Outbox } from "./outbox.js";
import type { Target } from "./target.js";

/** Takes keys out of a text. */
export type Mask = (text: string) => string;

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

/** The result of sending a target's queue. */
export interface SendReport {
  readonly target: string;
  readonly sent: number; // spans
  readonly dead: number;
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
  return Promise.all(targets.map((target) => sendQueue(outbox, target, options)));
}

async function sendQueue(outbox: Outbox, target: Target, options: SendOptions): Promise<SendReport> {
  const { mask, maxBatchBytes = MAX_BATCH_BYTES, now = Date.now, onSent, isUrgent = false, patienceMs = 0 } = options;
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
    const result = await sendRequest(target, spans, mask);
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

/** Returns the time of the next attempt. */
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

/** Doubles with each consecutive failure, with jitter. */
function backOff(failures: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  return pause * (0.5 + Math.random() / 2);
}

export type SendResult =
  | { readonly kind: "accepted" }
  /** The receiver accepted some of the spans, not known which. */
  | { readonly kind: "partlyRefused"; readonly reason: string }
  | { readonly kind: "tooLarge"; readonly reason: string }
  /** A retry would fail the same way. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Can be retried. After a time-out, the spans may have arrived. */
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfterMs: number };

/** Sends stored spans; the same spans give the same bytes each time. */
export async function sendRequest(target: Target, spans: readonly string[], mask: Mask): Promise<SendResult> {
  const isJson = target.protocol === "http/json";
  const resource = toResource(target);
  const body = gzipSync(isJson ? jsonRequest(spans, resource) : await protobufRequest(spans, resource));
  try {
    const response = await fetch(target.url, {
      method: "POST",
      headers: {
        ...target.headers,
        "content-type": isJson ? "application/json" : "application/x-protobuf",
        "content-encoding": "gzip",
        "user-agent": "turnlog",
        // A receiver may close an idle connection during the next request, which may then have arrived or not.
        connection: "close",
      },
      body: new Uint8Array(body),
      redirect: "manual",
      signal: AbortSignal.timeout(target.timeoutMs),
    });
    return await judge(response, Buffer.from(await response.arrayBuffer()), { sent: spans.length, mask });
  } catch (error) {
    return { kind: "failed", reason: describe(error), retryAfterMs: 0 };
  }
}

interface Sent {
  readonly sent: number; // spans
  readonly mask: Mask;
}

async function judge(response: Response, body: Buffer, request: Sent): Promise<SendResult> {
  const { status } = response;
  if (response.ok) return judgeSuccess(await readAnswer(response, body), request);
  const reason = `HTTP ${status}${quote(body, request.mask)}`;
  if (status === 413) return { kind: "tooLarge", reason };
  const isPassing = status === 408 || status === 429 || status >= 500;
  return isPassing ? { kind: "failed", reason, retryAfterMs: retryAfter(response) } : { kind: "refused", reason };
}

async function readAnswer({ headers }: Response, body: Buffer): Promise<unknown> {
  if (!headers.get("content-type")?.includes("protobuf")) return tryParseJson(body.toString("utf8"));
  const { ProtobufTraceSerializer } = await import("@opentelemetry/otlp-transformer");
  return ProtobufTraceSerializer.deserializeResponse(body);
}

function judgeSuccess(answer: unknown, { sent, mask }: Sent): SendResult {
  const partial = objectAt(answer, "partialSuccess");
  const rejected = numberAt(partial, "rejectedSpans") ?? Number(stringAt(partial, "rejectedSpans") ?? 0);
  if (!(rejected > 0)) return { kind: "accepted" };
  const message = stringAt(partial, "errorMessage");
  const reason = `${rejected} of ${sent} spans rejected${message ? `: ${shorten(message, mask)}` : ""}`;
  return { kind: rejected < sent ? "partlyRefused" : "refused", reason };
}

const MAX_RETRY_AFTER_MS = 86_400_000;

/** Seconds, or a date. */
function retryAfter({ headers }: Response): number {
  const text = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}

function quote(body: Buffer, mask: Mask): string {
  const text = shorten(body.subarray(0, 4096).toString("utf8"), mask);
  return text === "" ? "" : `: ${text}`;
}

/** Server messages are shown and stored, so keys and line breaks are removed. */
function shorten(text: string, mask: Mask): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, " ").trim();
  return mask(line).slice(0, 200);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no answer in time";
  const { cause } = error;
  const code = stringAt(cause, "code");
  return code ?? (cause instanceof Error ? cause.message : error.message);
}
