// Tells the id of the trace that a turn will have in a backend.
import { join } from "node:path";
import { traceIdOf, traceSession } from "turnlog/trace";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const session = join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl");
const uuid = "2f4d184b-130d-4670-86de-74b1c7ca381f"; // of the first turn, as `turnlog show --json` has it
const [first] = traceSession(session, { state: { kind: "ended" } });
console.log(traceIdOf(uuid) === first?.trace.traceId, traceIdOf(uuid));
