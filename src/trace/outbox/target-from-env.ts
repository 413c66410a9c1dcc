import { UserError } from "../../errors.js";
import type { TraceTargetConfig } from "../../store/config.js";
import { LANGFUSE_CLOUD, parseHeaders, parsePairs } from "./target.js";
import type { TargetKeys } from "./trace-keys.js";

export type Env = Readonly<Record<string, string | undefined>>;

/** A target that is described by variables, with its keys. */
interface DescribedTarget {
  readonly config: TraceTargetConfig;
  readonly keys: TargetKeys;
}

/** The targets that the variables of the SDKs of Langfuse and OpenTelemetry describe. An empty one counts as unset. */
export function targetsOf(env: Env): DescribedTarget[] {
  const service = serviceOf(env);
  return [langfuseOf(env), otlpOf(env)].flatMap((target) =>
    target ? [{ ...target, config: { ...target.config, ...service } }] : [],
  );
}

function langfuseOf(env: Env): DescribedTarget | undefined {
  const { LANGFUSE_PUBLIC_KEY: publicKey, LANGFUSE_SECRET_KEY: secretKey } = env;
  if (!publicKey || !secretKey) return undefined;
  const endpoint = env["LANGFUSE_BASE_URL"] || env["LANGFUSE_HOST"] || LANGFUSE_CLOUD;
  const environment = env["LANGFUSE_TRACING_ENVIRONMENT"] || undefined;
  const release = env["LANGFUSE_RELEASE"] || undefined;
  return {
    config: {
      name: "langfuse",
      kind: "langfuse",
      endpoint,
      ...(environment === undefined ? {} : { environment }),
      ...(release === undefined ? {} : { release }),
    },
    keys: { publicKey, secretKey },
  };
}

/** The variables for traces win over the general ones. */
function otlpOf(env: Env): DescribedTarget | undefined {
  const of = (name: string) =>
    env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;
  const endpoint = of("ENDPOINT");
  if (endpoint === undefined) return undefined;
  const timeoutMs = Number(of("TIMEOUT"));
  const headers = parseHeaders(of("HEADERS") ?? "");
  return {
    config: {
      name: "otlp",
      kind: "otlp",
      endpoint,
      ...(env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] ? { isComplete: true } : {}),
      ...protocolOf(of("PROTOCOL")),
      ...(timeoutMs > 0 ? { timeoutMs } : {}),
    },
    keys: Object.keys(headers).length === 0 ? {} : { headers },
  };
}

function protocolOf(named: string | undefined): Pick<TraceTargetConfig, "protocol"> {
  if (named === "grpc") throw refusedGrpc("OTEL_EXPORTER_OTLP_PROTOCOL is grpc");
  if (named === undefined) return {};
  if (named === "http/json" || named === "http/protobuf") return { protocol: named };
  throw new UserError("usage", `OTEL_EXPORTER_OTLP_PROTOCOL is "${named}"`, "use http/protobuf or http/json");
}

export function refusedGrpc(what: string): UserError {
  const hint = "use the receiver's address for OTLP over HTTP, usually with port 4318, and http/protobuf";
  return new UserError("usage", `${what}, and turnlog does not speak gRPC`, hint);
}

function serviceOf(env: Env): Partial<TraceTargetConfig> {
  const { "service.name": named, ...resource } = parsePairs(env["OTEL_RESOURCE_ATTRIBUTES"] ?? "");
  const serviceName = env["OTEL_SERVICE_NAME"] || named;
  return {
    ...(serviceName ? { serviceName } : {}),
    ...(Object.keys(resource).length === 0 ? {} : { resource }),
  };
}
