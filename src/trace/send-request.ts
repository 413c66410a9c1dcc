import { gzipSync } from "node:zlib";
import { numberAt, objectAt, stringAt, tryParseJson } from "../format/json.js";
import { createRedactor } from "../redact/create-redactor.js";
import { jsonRequest, protobufRequest } from "./otlp-request.js";
import type { Target } from "./target.js";

export type SendResult =
  | { readonly kind: "accepted" }
  /** It took some of the spans, and does not say which. */
  | { readonly kind: "partlyRefused"; readonly reason: string }
  | { readonly kind: "tooLarge"; readonly reason: string }
  /** It would say the same next time. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Worth another try. After a time-out nobody knows whether the spans arrived. */
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfterMs: number };

/** Sends stored spans; the same spans give the same bytes each time. */
export async function sendRequest(target: Target, spans: readonly string[]): Promise<SendResult> {
  const isJson = target.protocol === "http/json";
  const body = gzipSync(isJson ? jsonRequest(spans) : await protobufRequest(spans));
  try {
    const response = await fetch(target.url, {
      method: "POST",
      headers: {
        ...target.headers,
        "content-type": isJson ? "application/json" : "application/x-protobuf",
        "content-encoding": "gzip",
        "user-agent": "turnlog",
        // A receiver may end an idle connection while the next request is on its way: nobody knows what became of that one.
        connection: "close",
      },
      body: new Uint8Array(body),
      redirect: "manual",
      signal: AbortSignal.timeout(target.timeoutMs),
    });
    return await judge(response, Buffer.from(await response.arrayBuffer()), spans.length);
  } catch (error) {
    return { kind: "failed", reason: describe(error), retryAfterMs: 0 };
  }
}

async function judge(response: Response, body: Buffer, sent: number): Promise<SendResult> {
  const { status } = response;
  if (response.ok) return judgeSuccess(await readAnswer(response, body), sent);
  const reason = `HTTP ${status}${quote(body)}`;
  if (status === 413) return { kind: "tooLarge", reason };
  const isPassing = status === 408 || status === 429 || status >= 500;
  return isPassing ? { kind: "failed", reason, retryAfterMs: retryAfter(response) } : { kind: "refused", reason };
}

async function readAnswer({ headers }: Response, body: Buffer): Promise<unknown> {
  if (!headers.get("content-type")?.includes("protobuf")) return tryParseJson(body.toString("utf8"));
  const { ProtobufTraceSerializer } = await import("@opentelemetry/otlp-transformer");
  return ProtobufTraceSerializer.deserializeResponse(body);
}

function judgeSuccess(answer: unknown, sent: number): SendResult {
  const partial = objectAt(answer, "partialSuccess");
  const rejected = numberAt(partial, "rejectedSpans") ?? Number(stringAt(partial, "rejectedSpans") ?? 0);
  if (!(rejected > 0)) return { kind: "accepted" };
  const message = stringAt(partial, "errorMessage");
  const reason = `${rejected} of ${sent} spans rejected${message ? `: ${shorten(message)}` : ""}`;
  return { kind: rejected < sent ? "partlyRefused" : "refused", reason };
}

const MAX_RETRY_AFTER_MS = 86_400_000;

/** Seconds, or a date. */
function retryAfter({ headers }: Response): number {
  const text = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}

function quote(body: Buffer): string {
  const text = shorten(body.subarray(0, 4096).toString("utf8"));
  return text === "" ? "" : `: ${text}`;
}

/** What a server says is shown and stored, so it may hold no keys and no line breaks. */
function shorten(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, " ").trim();
  return createRedactor({ level: "mask" }).text(line).slice(0, 200);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no answer in time";
  const { cause } = error;
  const code = stringAt(cause, "code");
  return code ?? (cause instanceof Error ? cause.message : error.message);
}
