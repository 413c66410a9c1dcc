// Every tool call with what came back, wherever in the file that stands: how did the calls end?
import { join } from "node:path";
import { pairToolCalls, readRecords } from "turnlog";

const shop = join(import.meta.dirname, "../demo/projects/-home-dev-code-lantern-shop");
const { toolCalls, orphanResults } = pairToolCalls(
  readRecords(join(shop, "1a0a6e10-985c-4ed5-8a3b-4c3f23f7407b.jsonl")),
);
for (const { name, summary, status, durationMs } of toolCalls) console.log(status, `${durationMs} ms`, name, summary);
console.log(orphanResults.length, "results without a call");
