import { gzipSync } from "node:zlib";
import { isObject, numberAt, objectAt, stringAt, tryParseJson } from "../../format/json.js";
import { jsonMetricsRequest, protobufMetricsRequest } from "../spans/metrics-request.js";
import { jsonRequest, protobufRequest } from "../spans/otlp-request.js";
import { toResource } from "../spans/resource.js";
import type { Signal } from "./batches.js";
import type { Target } from "./target.js";

/** Takes keys out of a text. */
export type Mask = (text: string) => string;

export type SendResult =
  | { readonly kind: "accepted" }
  /** The receiver accepted some of the spans, not known which. */
  | { readonly kind: "partlyRefused"; readonly reason: string }
  | { readonly kind: "tooLarge"; readonly reason: string }
  /** A retry of these spans would fail the same way. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The receiver does not know the key, or the key may not do this: nothing is wrong with the spans. */
  | { readonly kind: "unauthorized"; readonly reason: string }
  /** Can be retried. After a time-out, the spans may have arrived. */
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfterMs: number };

export interface OtlpRequest {
  readonly signal: Signal;
  /** Spans or metrics as OTLP/JSON. None: only to see whether the receiver takes them. */
  readonly items: readonly string[];
}

/** Sends what is stored; the same items give the same bytes each time. */
export async function sendRequest(to: Target, request: OtlpRequest, mask: Mask): Promise<SendResult> {
  const target = request.signal === "metrics" ? { ...to, url: to.metricsUrl } : to;
  const body = await bodyOf(target, request);
  try {
    const response = await post(target, body);
    return await judge(response, Buffer.from(await response.arrayBuffer()), { ...request, target, mask });
  } catch (error) {
    return { kind: "failed", reason: describe(error, target), retryAfterMs: 0 };
  }
}

function post(target: Target, body: string | Uint8Array): Promise<Response> {
  const isJson = target.protocol === "http/json";
  return fetch(target.url, {
    method: "POST",
    headers: {
      ...target.headers,
      "content-type": isJson ? "application/json" : "application/x-protobuf",
      "content-encoding": "gzip",
      "user-agent": "turnlog",
      // A receiver may close an idle connection during the next request, which may then have arrived or not.
      connection: "close",
    },
    body: new Uint8Array(gzipSync(body)),
    redirect: "manual",
    signal: AbortSignal.timeout(target.timeoutMs),
  });
}

/** A field that says to be longer than what follows, and JSON that ends early. */
const BROKEN = { "http/protobuf": Uint8Array.of(0x0a, 0x7f), "http/json": '{"resourceSpans":[' } as const;

/** Whether a receiver says of a request that nobody can read that it took it: then its answers tell nothing. */
export async function takesAnything(target: Target): Promise<boolean> {
  try {
    const response = await post(target, BROKEN[target.protocol]);
    const body = Buffer.from(await response.arrayBuffer());
    return (await judge(response, body, { signal: "traces", items: [], target, mask: String })).kind === "accepted";
  } catch {
    return false; // it did not take it
  }
}

async function bodyOf(target: Target, { items, signal }: OtlpRequest): Promise<string | Uint8Array> {
  const resource = toResource(target);
  if (signal === "metrics") {
    return target.protocol === "http/json"
      ? jsonMetricsRequest(items, resource)
      : protobufMetricsRequest(items, resource);
  }
  return target.protocol === "http/json" ? jsonRequest(items, resource) : protobufRequest(items, resource);
}

interface Sent extends OtlpRequest {
  readonly target: Target;
  readonly mask: Mask;
}

async function judge(response: Response, body: Buffer, sent: Sent): Promise<SendResult> {
  const { status } = response;
  if (response.ok) return judgeSuccess(response, body, sent);
  const reason = `HTTP ${status}${quote(response, body, sent.mask)}`;
  if (status === 401 || status === 403) return { kind: "unauthorized", reason };
  if (status === 413) return { kind: "tooLarge", reason };
  // Only these are about the spans. Anything else is about the address, the account or the state of the receiver.
  if (status === 400 || status === 422) return { kind: "refused", reason };
  const hint = hintOf(response, sent.target);
  return { kind: "failed", reason: `${reason}${hint}`, retryAfterMs: retryAfter(response) };
}

function hintOf({ status, headers }: Response, target: Target): string {
  if (status === 415)
    return ` (it does not take ${
      target.protocol === "http/json" ? "JSON: install it" : "protobuf: install it"
    } with --protocol ${target.protocol === "http/json" ? "protobuf" : "json"})`;
  if (status >= 300 && status < 400)
    return ` (it sends elsewhere: ${headers.get("location") ?? "nowhere"}; ${ADDRESS})`;
  return status === 404 || status === 405 ? ` (${addressHint(target)})` : "";
}

const ADDRESS = "install the target with the right address";

function addressHint({ kind, url }: Target): string {
  const added = url.endsWith("/metrics") ? "/v1/metrics" : "/v1/traces";
  const path = kind === "langfuse" ? "the address of Langfuse itself, without a path" : `${added} is added to --otlp`;
  return `${url} is no OTLP receiver; ${ADDRESS}: ${path}`;
}

/** Only an OTLP answer says that something was taken: a login page or a proxy answers 200 too. */
async function judgeSuccess(response: Response, body: Buffer, sent: Sent): Promise<SendResult> {
  const answer = await readAnswer(response, body, sent.signal);
  if (answer === undefined) {
    const type = response.headers.get("content-type") ?? "without a type";
    const what = /html/.test(type) || /^\s*</.test(body.toString("utf8", 0, 100)) ? "a web page" : `no OTLP (${type})`;
    const reason = `HTTP ${response.status}, but the answer is ${what}: ${addressHint(sent.target)}`;
    return { kind: "failed", reason, retryAfterMs: 0 };
  }
  const partial = objectAt(answer, "partialSuccess");
  const rejectedOf = (name: string) => numberAt(partial, name) ?? Number(stringAt(partial, name) ?? 0);
  const rejected = Math.max(rejectedOf("rejectedSpans"), rejectedOf("rejectedDataPoints"));
  if (!(rejected > 0)) return { kind: "accepted" };
  const message = stringAt(partial, "errorMessage");
  const count = sent.items.length;
  const what = sent.signal === "metrics" ? "data points" : "spans";
  const reason = `${rejected} of ${count} ${what} rejected${message ? `: ${shorten(message, sent.mask)}` : ""}`;
  return { kind: rejected < count ? "partlyRefused" : "refused", reason };
}

/** Undefined: it is none. Without a body it says that all is well, in both encodings. */
async function readAnswer({ headers }: Response, body: Buffer, signal: Signal): Promise<unknown> {
  const type = headers.get("content-type") ?? "";
  if (body.length === 0) return /html/.test(type) ? undefined : {};
  if (/protobuf/.test(type)) return decodeAnswer(body, signal);
  if (!/json/.test(type)) return undefined;
  const json = tryParseJson(body.toString("utf8"));
  return isObject(json) ? json : undefined;
}

async function decodeAnswer(body: Buffer, signal: Signal): Promise<unknown> {
  const { ProtobufTraceSerializer, ProtobufMetricsSerializer } = await import("@opentelemetry/otlp-transformer");
  const serializer = signal === "metrics" ? ProtobufMetricsSerializer : ProtobufTraceSerializer;
  try {
    return serializer.deserializeResponse(body);
  } catch {
    return undefined;
  }
}

const MAX_RETRY_AFTER_MS = 86_400_000;

/** Seconds, or a date. */
function retryAfter({ headers }: Response): number {
  const text = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}

/** A web page says nothing in its first lines. */
function quote({ headers }: Response, body: Buffer, mask: Mask): string {
  if (/html/.test(headers.get("content-type") ?? "")) return "";
  const text = shorten(body.subarray(0, 4096).toString("utf8"), mask);
  return text === "" ? "" : `: ${text}`;
}

/** Server messages are shown and stored, so keys and line breaks are removed. */
function shorten(text: string, mask: Mask): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, " ").trim();
  return mask(line).slice(0, 200);
}

const GRPC_PORT = "4317";

function describe(error: unknown, { url }: Target): string {
  const reason = reasonOf(error);
  return new URL(url).port === GRPC_PORT ? `${reason} (port 4317 is for gRPC; OTLP over HTTP has 4318)` : reason;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no answer in time";
  const { cause } = error;
  const code = stringAt(cause, "code");
  return code ?? (cause instanceof Error ? cause.message : error.message);
}
