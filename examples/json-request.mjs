// Writes the body that any OpenTelemetry receiver takes at /v1/traces.
import { join } from "node:path";
import { jsonRequest, toSpans, traceSession } from "turnlog/trace";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const session = join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl");
const traces = [...traceSession(session, { state: { kind: "ended" } })].map(({ trace }) => trace);
const spans = traces.flatMap((trace) => toSpans(trace, "genai"));
const body = jsonRequest(spans.map((span) => JSON.stringify(span)));
console.log(JSON.parse(body).resourceSpans[0].scopeSpans[0].spans.length, "spans of", traces.length, "turns");
