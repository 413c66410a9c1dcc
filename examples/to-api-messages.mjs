// The messages with which the Messages API would go on with a session, and how they differ from the file.
import { join } from "node:path";
import { readRecords, toApiMessages } from "turnlog";

const tides = join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline");
const records = [...readRecords(join(tides, "ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"))];
const { messages, report } = toApiMessages(records);

console.log(`${messages.length} messages, from the compaction summary in line ${report.compactionLine} on`);
for (const { role, content } of messages) {
  console.log(role, typeof content === "string" ? "text" : content.map(({ type }) => type).join(" "));
}
console.log("repaired", report.repaired, "dropped", report.dropped, "left out", report.leftOut);
