import type { OtlpSpan } from "../spans/to-spans.js";

/** A span of another program that started Claude Code. */
export interface ParentSpan {
  readonly traceId: string;
  readonly spanId: string;
}

/** The variable TRACEPARENT, as W3C Trace Context writes it; undefined where it names no span. */
export function parseTraceParent(text: string | undefined): ParentSpan | undefined {
  const [, traceId = "", spanId = ""] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/.exec(text ?? "") ?? [];
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId) ? { traceId, spanId } : undefined;
}

/** The spans of a turn as part of another trace. */
export function attachSpans(spans: readonly OtlpSpan[], { traceId, spanId }: ParentSpan): OtlpSpan[] {
  return spans.map((span) => ({ ...span, traceId, parentSpanId: span.parentSpanId ?? spanId }));
}
