// Shows what a model would get to summarise.
import { join } from "node:path";
import { listTurnTexts, readEditSource } from "turnlog/edit";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const source = readEditSource(join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"));
for (const { turn, level, text } of listTurnTexts(source, {})) console.log(turn, level, text.split("\n")[0]);
