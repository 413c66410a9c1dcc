// Compares a session with its first two turns.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { groupTurns, parseRecords } from "turnlog";
import { diffSessions } from "turnlog/edit";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const { turns } = groupTurns(parseRecords(readFileSync(join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"))));
const whole = { id: "whole", title: null, turns };
const diff = diffSessions({ ...whole, id: "beginning", turns: turns.slice(0, 2) }, whole);
for (const { kind, a, b } of diff.turns) console.log(kind, a?.index, b?.index);
