// The records of a file of any size, one after the other: which types does it hold?
import { join } from "node:path";
import { readRecords } from "turnlog";

const shop = join(import.meta.dirname, "../demo/projects/-home-dev-code-lantern-shop");
const counts = new Map();
for (const record of readRecords(join(shop, "1a0a6e10-985c-4ed5-8a3b-4c3f23f7407b.jsonl"))) {
  counts.set(record.type, (counts.get(record.type) ?? 0) + 1);
}
for (const [type, count] of counts) console.log(count, type);
