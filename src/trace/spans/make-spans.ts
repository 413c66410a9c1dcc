import type { Redactor } from "../../redact/create-redactor.js";
import type { Trace } from "../observe/observation.js";
import { traceIdOfTurn } from "../observe/span-ids.js";
import { type MetricPoint, toMetricPoints } from "./metrics.js";
import { createNameHasher } from "./name-hasher.js";
import { prepareContent } from "./prepare-content.js";
import type { TargetSettings } from "./target-settings.js";
import { type OtlpSpan, toSpans } from "./to-spans.js";

export type SpanSettings = Pick<
  TargetSettings,
  "attributes" | "content" | "input" | "traceIds" | "userId" | "metadata" | "hashKey"
>;

/** A trace as one target gets it: selected, redacted, with the target's own facts, and named by its vocabulary. */
export function makeSpans(trace: Trace, settings: SpanSettings, redactor: Redactor | null): OtlpSpan[] {
  return toSpans(shapeTrace(trace, settings, redactor), settings.attributes);
}

/** The numbers of the same. */
export function makeMetrics(trace: Trace, settings: SpanSettings, redactor: Redactor | null): MetricPoint[] {
  return toMetricPoints(shapeTrace(trace, settings, redactor));
}

/** What both are made of: without what does not leave. */
export function shapeTrace(trace: Trace, settings: SpanSettings, redactor: Redactor | null): Trace {
  const { content, input, traceIds, hashKey, userId, metadata } = settings;
  const hashName = createNameHasher(hashKey);
  const prepared = prepareContent(trace, { content, input, redactor, hashName });
  const observations = prepared.observations.map((observation) =>
    observation.spanId === prepared.rootSpanId
      ? { ...observation, metadata: { ...observation.metadata, ...metadata } }
      : observation,
  );
  const { sessionId, turnNumber } = trace;
  const isByTurn = traceIds === "session" && turnNumber !== null;
  const traceId = isByTurn ? traceIdOfTurn(sessionId, turnNumber) : trace.traceId;
  return { ...prepared, traceId, userId: userId ?? prepared.userId, observations };
}
