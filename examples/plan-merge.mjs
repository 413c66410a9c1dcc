// Plans a session that goes on with the first turn of another one.
import { join } from "node:path";
import { planMerge, readEditSource } from "turnlog/edit";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const other = readEditSource(join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"));
const source = readEditSource(
  join(import.meta.dirname, "../demo/projects/-home-dev-src-pebble-rs/8359096c-e1ac-4641-87c1-f47bd7293ce7.jsonl"),
);
const wish = { from: { other }, turns: { from: 1, to: 1 } };
const plan = planMerge(source, wish, { id: "0f9e8d7c-6b5a-4c3d-9e2f-1a0b9c8d7e6f" });
const added = [...plan.added.values()].flatMap((rows) => [...rows]);
console.log(added.length, "records are added to", plan.kept);
