import type { Observation, ObservationEvent, Trace } from "../observe/observation.js";
import type { Attributes, AttributeValue, Vocabulary } from "./attribute.js";
import { genAi } from "./gen-ai.js";
import { general } from "./general.js";
import { langfuse } from "./langfuse.js";
import { openInference } from "./open-inference.js";

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

/** Every vocabulary at once, under Langfuse's span names. */
const all: Vocabulary = {
  name: langfuse.name,
  attributes: (...span) => ({
    ...genAi.attributes(...span),
    ...langfuse.attributes(...span),
    ...openInference.attributes(...span),
  }),
};

const VOCABULARIES = { langfuse, genai: genAi, openinference: openInference, general, all } as const;

/** How spans and their attributes are named. */
export type AttributeChoice = keyof typeof VOCABULARIES;

export const ATTRIBUTE_CHOICES: readonly AttributeChoice[] = ["langfuse", "genai", "openinference", "general", "all"];

export function toSpans(trace: Trace, choice: AttributeChoice): OtlpSpan[] {
  return trace.observations.map((observation) => toSpan(observation, trace, VOCABULARIES[choice]));
}

const CLIENT = 3;
const INTERNAL = 1;

function toSpan(observation: Observation, trace: Trace, vocabulary: Vocabulary): OtlpSpan {
  const { spanId, parentSpanId, kind, startMs, endMs, level, statusMessage, events } = observation;
  return {
    traceId: trace.traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name: vocabulary.name(observation),
    kind: kind === "generation" ? CLIENT : INTERNAL,
    startTimeUnixNano: toNano(startMs),
    endTimeUnixNano: toNano(endMs),
    attributes: toAttributes(vocabulary.attributes(observation, trace)),
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
