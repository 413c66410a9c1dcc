// Plans a session without secrets; the redactor says what it found when the lines are made.
import { join } from "node:path";
import { createRedactor } from "turnlog";
import { editedLines, planRedact, readEditSource } from "turnlog/edit";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const source = readEditSource(join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"));
const redactor = createRedactor({ level: "redact", user: "dev", home: "/home/dev" });
const plan = planRedact(source, { clean: redactor.json }, { id: "0f9e8d7c-6b5a-4c3d-9e2f-1a0b9c8d7e6f" });
const lines = [...editedLines(plan)];
console.log(lines.length, "lines,", redactor.report().total > 0 ? "something was taken out" : "nothing was found");
