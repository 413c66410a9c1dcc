import { listAt } from "../../collections.js";
import type { MetricPoint } from "./metrics.js";
import { PLAIN_RESOURCE, type Resource } from "./resource.js";

/** The meter of Claude Code's own export. */
const SCOPE = "com.anthropic.claude_code";
const DELTA = 1;

/** The body of an OTLP/JSON request to `/v1/metrics`, from points that are JSON already. */
export function jsonMetricsRequest(points: readonly string[], resource: Resource = PLAIN_RESOURCE): string {
  const metrics = [...byName(points)].map(([name, own]) => ({
    name,
    unit: own[0]?.unit,
    sum: { aggregationTemporality: DELTA, isMonotonic: true, dataPoints: own.map(toDataPoint) },
  }));
  const scopeMetrics = [{ scope: { name: SCOPE }, metrics }];
  return JSON.stringify({ resourceMetrics: [{ resource: { attributes: toAttributes(resource) }, scopeMetrics }] });
}

/** The same as protobuf. The serialiser is loaded only here. */
export async function protobufMetricsRequest(
  points: readonly string[],
  resource: Resource = PLAIN_RESOURCE,
): Promise<Uint8Array> {
  const { ProtobufMetricsSerializer } = await import("@opentelemetry/otlp-transformer");
  const metrics = [...byName(points)].map(([name, own]) => ({
    descriptor: { name, description: "", unit: own[0]?.unit ?? "", type: "COUNTER", valueType: 1 },
    aggregationTemporality: 0, // delta, as the SDK numbers it
    dataPointType: 3, // a sum
    isMonotonic: true,
    dataPoints: own.map(({ startMs, endMs, value, attributes }) => ({
      startTime: toHrTime(startMs),
      endTime: toHrTime(endMs),
      attributes,
      value,
    })),
  }));
  const shared = { attributes: resource, merge: () => shared, getRawAttributes: () => [] };
  const request = { resource: shared, scopeMetrics: [{ scope: { name: SCOPE }, metrics }] };
  type Request = Parameters<typeof ProtobufMetricsSerializer.serializeRequest>[0];
  return ProtobufMetricsSerializer.serializeRequest(request as Request) ?? new Uint8Array();
}

function byName(points: readonly string[]): ReadonlyMap<string, readonly MetricPoint[]> {
  const groups = new Map<string, MetricPoint[]>();
  for (const json of points) {
    const point = JSON.parse(json) as MetricPoint;
    listAt(groups, point.name).push(point);
  }
  return groups;
}

function toDataPoint({ startMs, endMs, value, attributes }: MetricPoint): object {
  return {
    attributes: toAttributes(attributes),
    startTimeUnixNano: toNano(startMs),
    timeUnixNano: toNano(endMs),
    ...(Number.isSafeInteger(value) ? { asInt: `${value}` } : { asDouble: value }),
  };
}

function toAttributes(values: Readonly<Record<string, string>>): object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: value } }));
}

function toNano(ms: number): string {
  return `${BigInt(Math.max(0, Math.round(ms))) * 1_000_000n}`;
}

function toHrTime(ms: number): [number, number] {
  const whole = Math.max(0, Math.round(ms));
  return [Math.floor(whole / 1000), (whole % 1000) * 1_000_000];
}
