// The lines of a planned session: the same records with new ids.
import { join } from "node:path";
import { editedLines, planClone, readEditSource } from "turnlog/edit";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const source = readEditSource(join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"));
const lines = [...editedLines(planClone(source, { id: "0f9e8d7c-6b5a-4c3d-9e2f-1a0b9c8d7e6f" }))];
const first = lines.map((line) => JSON.parse(line)).find(({ uuid }) => uuid !== undefined);
console.log(lines.length, "lines");
console.log("session", first.sessionId);
console.log("copied from", first.forkedFrom.sessionId);
