import { createHash } from "node:crypto";
import type { TraceTargetConfig } from "../../store/config.js";
import type { TargetSettings } from "../spans/target-settings.js";
import type { LedgerOwner } from "./ledgers.js";
import type { TargetKeys, TraceKeys } from "./trace-keys.js";

/** Where to send spans, with everything a request needs. */
export interface Target extends TargetSettings, LedgerOwner {
  readonly kind: TraceTargetConfig["kind"];
  readonly metricsUrl: string;
  /** Whether it gets metrics, too. */
  readonly metrics: boolean;
  /** Contains keys: never show or log them. */
  readonly headers: Readonly<Record<string, string>>;
  /** A hash of the headers. */
  readonly credentials: string;
  readonly protocol: "http/json" | "http/protobuf";
  readonly timeoutMs: number;
  /** Why nothing can be sent to it, such as missing keys. */
  readonly problem: string | null;
}

const DEFAULT_TIMEOUT_MS = 30_000;
export const LANGFUSE_CLOUD = "https://cloud.langfuse.com";

/** Everything is taken from what was installed: variables of the environment may belong to another project or server. */
export function resolveTarget(target: TraceTargetConfig, allKeys: TraceKeys = {}, hashKey = ""): Target {
  const keys = allKeys[target.name] ?? {};
  const headers = target.kind === "langfuse" ? langfuseHeaders(keys) : (keys.headers ?? {});
  return {
    name: target.name,
    kind: target.kind,
    url: signalUrl(target, "traces"),
    metricsUrl: signalUrl(target, "metrics"),
    metrics: target.kind === "otlp" && target.metrics === true,
    headers: headers ?? {},
    credentials: hash(headers ?? {}),
    identities: identitiesOf(target, keys),
    problem: keys.problem ?? (headers === undefined ? MISSING_KEYS : null),
    protocol: target.protocol ?? "http/protobuf",
    timeoutMs: target.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    ...settingsOf(target, hashKey),
  };
}

const SERVICE_NAME = "claude-code";

function settingsOf(target: TraceTargetConfig, hashKey: string): TargetSettings {
  return {
    attributes: target.attributes ?? (target.kind === "langfuse" ? "langfuse" : "all"),
    content: target.content ?? "all",
    input: target.input ?? "new",
    traceIds: target.traceIds ?? "records",
    environment: target.environment ?? null,
    release: target.release ?? null,
    userId: target.userId ?? null,
    metadata: target.metadata ?? {},
    serviceName: target.serviceName ?? SERVICE_NAME,
    resource: target.resource ?? {},
    attach: target.attach ?? false,
    hashKey,
  };
}

const SIGNAL_PATH = /\/v1\/(traces|metrics)$/;

/** The base of an OTLP receiver, or the complete address of one signal. */
function signalUrl({ kind, endpoint, isComplete }: TraceTargetConfig, signal: "traces" | "metrics"): string {
  if (isComplete) return signal === "traces" ? endpoint : endpoint.replace(/traces(?=\/?$)/, signal);
  const { base, query } = partsOf(endpoint);
  if (kind === "langfuse") return `${base}/api/public/otel/v1/${signal}${query}`;
  const path = SIGNAL_PATH.test(base) ? base.replace(SIGNAL_PATH, `/v1/${signal}`) : `${base}/v1/${signal}`;
  return `${path}${query}`;
}

function partsOf(endpoint: string): { readonly base: string; readonly query: string } {
  const [, base = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(endpoint) ?? [];
  return { base: base.replace(/\/+$/, ""), query };
}

/**
 * A key may be replaced by another of the same account: where the backend names the account, its name counts, too. Keys that the
 * keychain does not give now say nothing.
 */
function identitiesOf(target: TraceTargetConfig, { publicKey, headers = {}, problem }: TargetKeys): string[] {
  const { kind, account } = target;
  const url = new URL(signalUrl(target, "traces")).href;
  const key = kind === "langfuse" ? (publicKey ?? "") : headers;
  const named = account === undefined ? [] : [hash([kind, url, "account", account])];
  return problem === undefined ? [...named, hash([kind, url, key])] : named;
}

/** Short enough for every row of the outbox. */
function hash(value: unknown): string {
  const sorted = (_: string, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  return createHash("sha256").update(JSON.stringify(value, sorted)).digest("hex").slice(0, 24);
}

const MISSING_KEYS = "its public or secret key is missing: `turnlog trace install --langfuse` asks for them";

function langfuseHeaders({ publicKey, secretKey }: TargetKeys): Record<string, string> | undefined {
  if (!publicKey || !secretKey) return undefined;
  const basic = Buffer.from(`${publicKey}:${secretKey}`).toString("base64");
  return { authorization: `Basic ${basic}`, "x-langfuse-ingestion-version": "4" };
}

/** `key=value,key=value`, each percent-encoded, as OpenTelemetry writes headers and attributes of the resource. */
export function parsePairs(text: string): Record<string, string> {
  const pairs = text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[decode(pair.slice(0, at)), decode(pair.slice(at + 1))]];
  });
  return Object.fromEntries(pairs);
}

export function parseHeaders(text: string): Record<string, string> {
  return Object.fromEntries(Object.entries(parsePairs(text)).map(([name, value]) => [name.toLowerCase(), value]));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return text.trim(); // a literal percent sign
  }
}
