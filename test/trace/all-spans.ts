import { dirname } from "node:path";
import { findSharedSubagents } from "../../src/format/layout/files-of-session.js";
import { type TraceOptions, traceSession } from "../../src/trace/observe/trace-session.js";
import { type ContentOptions, prepareContent } from "../../src/trace/spans/prepare-content.js";
import { type AttributeChoice, type OtlpAttribute, type OtlpSpan, toSpans } from "../../src/trace/spans/to-spans.js";

/** All spans of a finished session file. */
export function allSpans(
  path: string,
  { attributes = "all", content = { content: "all", redactor: null }, ...options }: SpanOptions = {},
): OtlpSpan[] {
  const sharedSubagents = findSharedSubagents(dirname(path));
  const traces = traceSession(path, { state: { kind: "ended" }, sharedSubagents, ...options });
  return [...traces].flatMap(({ trace }) => toSpans(prepareContent(trace, content), attributes));
}

interface SpanOptions extends TraceOptions {
  readonly attributes?: AttributeChoice;
  readonly content?: ContentOptions;
}

/** The attributes of a span as a plain object. */
export function plainAttributes(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** Names, indented by depth, in the order of the list. */
export function treeOf(spans: readonly Pick<OtlpSpan, "spanId" | "parentSpanId" | "name">[]): string[] {
  const depths = new Map<string, number>();
  return spans.map(({ spanId, parentSpanId, name }) => {
    const depth = parentSpanId === undefined ? 0 : (depths.get(parentSpanId) ?? Number.NaN) + 1;
    depths.set(spanId, depth);
    return `${"  ".repeat(depth)}${name}`;
  });
}
