import { PLAIN_RESOURCE, type Resource } from "./resource.js";
import type { OtlpSpan, OtlpValue } from "./to-spans.js";

const SCOPE = "turnlog";

/** The body of an OTLP/JSON request, from spans that are JSON already: stored spans keep their bytes. */
export function jsonRequest(spans: readonly string[], resource: Resource = PLAIN_RESOURCE): string {
  const head = `{"resource":${jsonResource(resource)},"scopeSpans":[{"scope":{"name":"${SCOPE}"},"spans":[`;
  return `{"resourceSpans":[${head}${spans.join(",")}]}]}]}`;
}

function jsonResource(resource: Resource): string {
  const attributes = Object.entries(resource).map(([key, value]) => ({ key, value: { stringValue: value } }));
  return JSON.stringify({ attributes });
}

/** The same as protobuf. The serialiser is loaded only here. */
export async function protobufRequest(
  spans: readonly string[],
  resource: Resource = PLAIN_RESOURCE,
): Promise<Uint8Array> {
  const { ProtobufTraceSerializer } = await import("@opentelemetry/otlp-transformer");
  // One resource and one scope for all, or each span would get a copy.
  const shared = {
    resource: { attributes: resource, merge: () => shared.resource, getRawAttributes: () => [] },
    instrumentationScope: { name: SCOPE },
  };
  const readable = spans.map((span) => ({ ...toReadableSpan(JSON.parse(span) as OtlpSpan), ...shared }));
  return ProtobufTraceSerializer.serializeRequest(readable) ?? new Uint8Array();
}

type ReadableSpans = Parameters<
  Awaited<typeof import("@opentelemetry/otlp-transformer")>["ProtobufTraceSerializer"]["serializeRequest"]
>[0];
type ReadableSpan = ReadableSpans[number];

function toReadableSpan(span: OtlpSpan): Omit<ReadableSpan, "resource" | "instrumentationScope"> {
  const context = (spanId: string) => ({ traceId: span.traceId, spanId, traceFlags: 1 });
  const { parentSpanId } = span;
  return {
    name: span.name,
    kind: span.kind - 1, // the API has no number for an unset kind
    spanContext: () => context(span.spanId),
    startTime: toHrTime(span.startTimeUnixNano),
    endTime: toHrTime(span.endTimeUnixNano),
    duration: [0, 0],
    ended: true,
    status: span.status,
    attributes: toPlainAttributes(span.attributes),
    events: span.events.map(({ name, timeUnixNano, attributes }) => ({
      name,
      time: toHrTime(timeUnixNano),
      attributes: toPlainAttributes(attributes),
    })),
    links: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    ...(parentSpanId === undefined ? {} : { parentSpanContext: context(parentSpanId) }),
  };
}

function toHrTime(nano: string): [number, number] {
  const value = BigInt(nano);
  return [Number(value / 1_000_000_000n), Number(value % 1_000_000_000n)];
}

function toPlainAttributes(attributes: OtlpSpan["attributes"]): ReadableSpan["attributes"] {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, toPlain(value)]));
}

function toPlain(value: OtlpValue): string | number | boolean | string[] {
  if ("stringValue" in value) return value.stringValue;
  if ("boolValue" in value) return value.boolValue;
  if ("intValue" in value) return Number(value.intValue);
  if ("doubleValue" in value) return value.doubleValue;
  return value.arrayValue.values.map((item) => String(toPlain(item)));
}
