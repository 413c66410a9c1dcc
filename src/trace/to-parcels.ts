import type { Redactor } from "../redact/create-redactor.js";
import type { Trace } from "./observation.js";
import type { KnownAgent, Parcel, StoredSpan } from "./outbox.js";
import { prepareContent } from "./prepare-content.js";
import { spanIdOf } from "./span-ids.js";
import type { Target } from "./target.js";
import { toSpans } from "./to-spans.js";
import type { TracedTurn } from "./trace-session.js";

export type Receiver = Pick<Target, "name" | "attributes" | "content">;

/** A turn as each target wants it, without secrets. */
export function toParcels(
  { trace, agents }: Pick<TracedTurn, "trace" | "agents">,
  session: string,
  receivers: readonly Receiver[],
  redactor: Redactor | null,
): Parcel[] {
  const made = new Map<string, StoredSpan[]>();
  return receivers.map(({ name, attributes, content }) => {
    const key = `${attributes} ${content}`;
    const spans = made.get(key) ?? toStored(prepareContent(trace, { content, redactor }), attributes);
    made.set(key, spans);
    const known = agents.filter(({ isInline }) => !isInline).map((agent) => toKnown(agent, trace));
    return { target: name, session, spans, agents: known };
  });
}

function toStored(trace: Trace, attributes: Target["attributes"]): StoredSpan[] {
  return toSpans(trace, attributes).map((span, at) => ({
    spanId: span.spanId,
    kind: trace.observations[at]?.kind ?? "turn",
    json: JSON.stringify(span),
  }));
}

function toKnown({ agentId, size }: TracedTurn["agents"][number], trace: Trace): KnownAgent {
  const { observations, ...header } = trace;
  const spanId = spanIdOf("agent", agentId);
  const parentSpanId = observations.find((observation) => observation.spanId === spanId)?.parentSpanId ?? null;
  return { agentId, size, parentSpanId, trace: header };
}
