// Reads what an edit needs to know of a session: its outline, and where every record lies.
import { join } from "node:path";
import { readEditSource } from "turnlog/edit";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const source = readEditSource(join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"));
console.log(source.records.length, "records,", source.outline.turns.length, "turns");
console.log(source.openTurn === null ? "no turn is open" : "the last turn is open");
