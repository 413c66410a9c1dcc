// Names the spans of a session in the vocabulary of OpenTelemetry.
import { join } from "node:path";
import { toSpans, traceSession } from "turnlog/trace";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const session = join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl");
for (const { trace } of traceSession(session, { state: { kind: "ended" } })) {
  const [root] = toSpans(trace, "genai");
  const conversation = root?.attributes.find(({ key }) => key === "gen_ai.conversation.id");
  console.log(root?.name, root?.traceId, conversation?.value);
}
