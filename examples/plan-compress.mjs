// Plans a session whose first turn is a summary.
import { join } from "node:path";
import { planCompress, readEditSource } from "turnlog/edit";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const source = readEditSource(join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"));
const bands = [{ from: 0, to: 50, level: "heavy" }];
const plan = planCompress(source, { bands }, { id: "0f9e8d7c-6b5a-4c3d-9e2f-1a0b9c8d7e6f" });
console.log(plan.notes.join("\n"));
