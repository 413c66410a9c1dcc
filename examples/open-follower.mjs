// Reads what others add to a session while it runs, and goes on later from a cursor: no line twice, none lost.
import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFollower } from "turnlog";

const path = join(mkdtempSync(join(tmpdir(), "example-")), "session.jsonl");
const line = (uuid) => `${JSON.stringify({ type: "user", uuid, message: { role: "user", content: "Hello" } })}\n`;

writeFileSync(path, line("u1") + line("u2").slice(0, 20)); // the second is still being written
const follower = openFollower(path);
const { records, tail } = follower.poll();
console.log(records.length, "record, and", tail.bytes, "bytes of the next");
const kept = JSON.parse(JSON.stringify(follower.cursor));
follower.close();

appendFileSync(path, line("u2").slice(20));
for (const { line, uuid } of openFollower(path, kept).poll().records) console.log("later", uuid, "in line", line);
