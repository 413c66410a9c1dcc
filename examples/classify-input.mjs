// Of all that stands under the type `user`, what did a person write?
import { join } from "node:path";
import { classifyInput, readRecords } from "turnlog";

const pebble = join(import.meta.dirname, "../demo/projects/-home-dev-src-pebble-rs");
const counts = {};
for (const record of readRecords(join(pebble, "09fa6185-1780-40a3-b65b-58a2afceee1d.jsonl"))) {
  if (record.kind !== "user") continue;
  const found = classifyInput(record);
  counts[found] = (counts[found] ?? 0) + 1;
}
console.log(counts);
