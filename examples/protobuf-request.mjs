// The same body as protobuf, which is shorter.
import { join } from "node:path";
import { jsonRequest, protobufRequest, toSpans, traceSession } from "turnlog/trace";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const session = join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl");
const traces = [...traceSession(session, { state: { kind: "ended" } })].map(({ trace }) => trace);
const spans = traces.flatMap((trace) => toSpans(trace, "genai")).map((span) => JSON.stringify(span));
const bytes = await protobufRequest(spans);
console.log(bytes.length < jsonRequest(spans).length ? "shorter than JSON" : "longer than JSON");
