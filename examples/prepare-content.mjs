// Leaves out of a trace what must not leave the machine: here everything that tools read and wrote.
import { join } from "node:path";
import { createRedactor } from "turnlog";
import { prepareContent, traceSession } from "turnlog/trace";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const session = join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl");
const redactor = createRedactor({ level: "redact", home: "/home/dev", user: "dev" });
const [first] = traceSession(session, { state: { kind: "ended" } });
if (!first) throw new Error("the session has no turn");
const { observations } = prepareContent(first.trace, { content: "prompts", redactor });
for (const { kind, name, input } of observations.slice(0, 3)) console.log(kind, name, input);
