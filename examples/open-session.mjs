// Reads record by record, stops, and goes on later from a snapshot: the outline is the same as read at once.
import { join } from "node:path";
import { openSession, readRecords } from "turnlog";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const records = [...readRecords(join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"))];

const early = openSession();
for (const record of records.slice(0, 20)) early.push(record);
console.log("so far", early.view().totals.turns, "turns");

const kept = JSON.parse(JSON.stringify(early.snapshot()));
const later = openSession(kept);
for (const record of records.slice(20)) later.push(record);
console.log("in the end", later.view().totals.turns, "turns,", later.view().compactions.length, "compaction");
