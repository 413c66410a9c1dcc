// Plans a session without tool calls, but in the last turn that has some.
import { join } from "node:path";
import { planPrune, readEditSource } from "turnlog/edit";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const source = readEditSource(join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"));
const plan = planPrune(source, { tools: "remove", keepLast: 1 }, { id: "0f9e8d7c-6b5a-4c3d-9e2f-1a0b9c8d7e6f" });
console.log(plan.kept, "records stay,", plan.removed, "go");
