import type { Observation, ObservationEvent, Trace } from "../observe/observation.js";
import type { Attributes, AttributeValue, NameAttributes } from "./attribute.js";
import { nameGenAi } from "./gen-ai.js";
import { nameLangfuse } from "./langfuse.js";
import { nameOpenInference } from "./open-inference.js";

/** A span as OTLP/JSON writes it: ids in hex, 64-bit numbers as strings, attributes as a list. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 1 | 3; // internal, client
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly events: readonly OtlpEvent[];
  readonly status: { readonly code: 0 | 2; readonly message?: string };
}

export interface OtlpEvent {
  readonly name: string;
  readonly timeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

export type OtlpValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

const FAMILIES = { genai: nameGenAi, langfuse: nameLangfuse, openinference: nameOpenInference } as const;

/** Which attribute names the spans use. */
export type AttributeChoice = keyof typeof FAMILIES | "all";

export const ATTRIBUTE_CHOICES: readonly AttributeChoice[] = ["genai", "langfuse", "openinference", "all"];

export function toSpans(trace: Trace, choice: AttributeChoice): OtlpSpan[] {
  const families: readonly NameAttributes[] = choice === "all" ? Object.values(FAMILIES) : [FAMILIES[choice]];
  return trace.observations.map((observation) => toSpan(observation, trace, families));
}

const CLIENT = 3;
const INTERNAL = 1;

function toSpan(observation: Observation, trace: Trace, families: readonly NameAttributes[]): OtlpSpan {
  const { spanId, parentSpanId, name, kind, startMs, endMs, level, statusMessage, events } = observation;
  const attributes = Object.assign({}, ...families.map((family) => family(observation, trace)));
  return {
    traceId: trace.traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: kind === "generation" ? CLIENT : INTERNAL,
    startTimeUnixNano: toNano(startMs),
    endTimeUnixNano: toNano(endMs),
    attributes: toAttributes(attributes),
    events: events.map(toOtlpEvent),
    status:
      level === "ERROR" ? { code: 2, ...(statusMessage === null ? {} : { message: statusMessage }) } : { code: 0 },
  };
}

function toNano(ms: number): string {
  return `${BigInt(Math.max(0, Math.round(ms))) * 1_000_000n}`;
}

function toOtlpEvent({ name, atMs, attributes, content }: ObservationEvent): OtlpEvent {
  const all = content === null ? attributes : { ...attributes, content };
  return { name, timeUnixNano: toNano(atMs), attributes: toAttributes(all) };
}

function toAttributes(attributes: Attributes): OtlpAttribute[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  );
}

function toValue(value: AttributeValue): OtlpValue {
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "boolean":
      return { boolValue: value };
    case "number":
      return Number.isSafeInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
    default:
      return { arrayValue: { values: value.map(toValue) } };
  }
}
