// Shows the first turn of a session as a trace: what happened, with time, tokens and cost.
import { join } from "node:path";
import { traceSession } from "turnlog/trace";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const session = join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl");
const [first] = traceSession(session, { state: { kind: "ended" } });
for (const { kind, name, startMs, endMs, generation } of first?.trace.observations ?? []) {
  const cost = generation?.costUsd == null ? "" : ` $${generation.costUsd.toFixed(4)}`;
  console.log(`${kind.padEnd(10)} ${name.padEnd(20)} ${endMs - startMs} ms${cost}`);
}
