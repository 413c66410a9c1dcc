import { statSync } from "node:fs";
import { readText, UserError } from "../../errors.js";
import { isObject, objectAt, stringAt } from "../../format/json.js";
import { atomicWrite } from "../../store/atomic-write.js";
import type { TraceTargetConfig } from "../../store/config.js";
import { dataPaths, ensureDataDir } from "../../store/data-dir.js";
import type { TargetSettings } from "../spans/target-settings.js";

/** Where to send spans, with everything a request needs. */
export interface Target extends TargetSettings {
  readonly name: string;
  readonly url: string;
  /** Contains keys: never show or log them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: "http/json" | "http/protobuf";
  readonly timeoutMs: number;
  /** Why nothing can be sent to it, such as missing keys. */
  readonly problem: string | null;
}

type Env = Readonly<Record<string, string | undefined>>;

const DEFAULT_TIMEOUT_MS = 30_000;
export const LANGFUSE_CLOUD = "https://cloud.langfuse.com";

/** The installed targets, those of config.json: the only ones that the hook sends to. */
export function installedTargets(configured: readonly TraceTargetConfig[], env: Env, keys: TraceKeys): Target[] {
  return configured.map((target) => resolveTarget(target, env, keys));
}

/** For commands that a user runs: without an installed target, the one described by environment variables. */
export function resolveTargets(configured: readonly TraceTargetConfig[], env: Env, keys: TraceKeys): Target[] {
  if (configured.length > 0) return installedTargets(configured, env, keys);
  return installedTargets(targetsOf(env), env, keysOf(env));
}

/** As the SDKs of Langfuse and OpenTelemetry read them. An empty variable counts as unset. */
export function targetsOf(env: Env): TraceTargetConfig[] {
  const langfuse = env["LANGFUSE_BASE_URL"] || env["LANGFUSE_HOST"] || LANGFUSE_CLOUD;
  const otlp = env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] || env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  return [
    ...(env["LANGFUSE_PUBLIC_KEY"] ? [{ name: "langfuse", kind: "langfuse" as const, endpoint: langfuse }] : []),
    ...(otlp ? [{ name: "otlp", kind: "otlp" as const, endpoint: otlp }] : []),
  ];
}

/** The keys and headers of the targets that the environment describes. */
export function keysOf(env: Env): TraceKeys {
  const headers = env["OTEL_EXPORTER_OTLP_TRACES_HEADERS"] || env["OTEL_EXPORTER_OTLP_HEADERS"] || "";
  return {
    langfuse: { publicKey: env["LANGFUSE_PUBLIC_KEY"], secretKey: env["LANGFUSE_SECRET_KEY"] },
    otlp: { headers: parseHeaders(headers) },
  };
}

/** Credentials come from `keys` alone: those in the environment may belong to another project or another server. */
export function resolveTarget(target: TraceTargetConfig, env: Env, keys: TraceKeys): Target {
  const isLangfuse = target.kind === "langfuse";
  const headers = isLangfuse ? langfuseHeaders(keys[target.name]) : (keys[target.name]?.headers ?? {});
  return {
    name: target.name,
    url: urlOf(target, env),
    headers: headers ?? {},
    problem: headers === undefined ? MISSING_KEYS : null,
    protocol: target.protocol ?? (isLangfuse ? "http/json" : protocolOf(env)),
    timeoutMs: target.timeoutMs ?? (Number(env["OTEL_EXPORTER_OTLP_TIMEOUT"]) || DEFAULT_TIMEOUT_MS),
    ...settingsOf(target),
  };
}

const SERVICE_NAME = "claude-code";

function settingsOf(target: TraceTargetConfig): TargetSettings {
  return {
    attributes: target.attributes ?? "all",
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
    hashKey: "",
  };
}

/** OpenTelemetry's general endpoint is a base, the one for traces is complete. */
function urlOf({ kind, endpoint }: TraceTargetConfig, env: Env): string {
  const base = endpoint.replace(/\/+$/, "");
  if (kind === "langfuse") return `${base}/api/public/otel/v1/traces`;
  const isComplete = base.endsWith("/v1/traces") || endpoint === env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
  return isComplete ? endpoint : `${base}/v1/traces`;
}

function protocolOf(env: Env): Target["protocol"] {
  const named = env["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] || env["OTEL_EXPORTER_OTLP_PROTOCOL"];
  return named === "http/protobuf" ? "http/protobuf" : "http/json";
}

const MISSING_KEYS = "its public or secret key is missing: `turnlog trace install --langfuse` asks for them";

function langfuseHeaders({ publicKey, secretKey }: TargetKeys = {}): Record<string, string> | undefined {
  if (!publicKey || !secretKey) return undefined;
  const basic = Buffer.from(`${publicKey}:${secretKey}`).toString("base64");
  return { authorization: `Basic ${basic}`, "x-langfuse-ingestion-version": "4" };
}

/** `key=value,key=value`, each percent-encoded, as OpenTelemetry writes them. */
export function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[decode(pair.slice(0, at)).toLowerCase(), decode(pair.slice(at + 1))]];
  });
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return text.trim(); // a literal percent sign
  }
}

/** The keys of trace targets, by name, stored in a file that only its owner can read. */
type TraceKeys = Readonly<Record<string, TargetKeys>>;

export interface TargetKeys {
  readonly publicKey?: string | undefined;
  readonly secretKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function readTraceKeys(dir: string): TraceKeys {
  const path = dataPaths(dir).traceKeys;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return {};
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) {
    throw new UserError("config", `other users can read ${path}`, `run \`chmod 600 ${path}\``);
  }
  const json = parse(path);
  return Object.fromEntries(Object.entries(json).map(([name, keys]) => [name, toKeys(keys)]));
}

export function writeTraceKeys(dir: string, name: string, keys: TargetKeys | undefined): void {
  const { [name]: _old, ...others } = readTraceKeys(dir);
  const all = keys === undefined ? others : { ...others, [name]: keys };
  ensureDataDir(dir);
  atomicWrite(dataPaths(dir).traceKeys, `${JSON.stringify(all, null, 2)}\n`);
}

function parse(path: string): object {
  try {
    const json: unknown = JSON.parse(readText(path));
    if (isObject(json)) return json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  // The cause would quote the keys.
  throw new UserError("config", `${path} is not a JSON object`, "fix it, or run `turnlog trace install` again");
}

function toKeys(json: unknown): TargetKeys {
  const headers = Object.entries(objectAt(json, "headers") ?? {}).map(([name, value]) => [name, String(value)]);
  return {
    publicKey: stringAt(json, "publicKey"),
    secretKey: stringAt(json, "secretKey"),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  };
}
