// Lets a function of your own write the summaries.
import { join } from "node:path";
import { listTurnTexts, planCompress, readEditSource, summarizeTurns } from "turnlog/edit";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const source = readEditSource(join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"));
const shorten = async ({ text }) => `${text.length} characters were said and done.`;
const { summaries, failed } = await summarizeTurns(listTurnTexts(source, {}), shorten, { parallel: 2, attempts: 3 });
const compress = { summaries, untouched: new Set(failed.keys()) };
const plan = planCompress(source, compress, { id: "0f9e8d7c-6b5a-4c3d-9e2f-1a0b9c8d7e6f" });
console.log(summaries.size, "summary,", plan.kept, "records stay");
