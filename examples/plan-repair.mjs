// Plans a session in which a lost parent is found again.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planRepair, readEditSource } from "turnlog/edit";

const row = (uuid, parentUuid, second, message) =>
  JSON.stringify({ type: message.role, uuid, parentUuid, timestamp: `2026-05-01T09:00:0${second}.000Z`, message });
const lines = [
  row("one", null, 1, { role: "user", content: "Where is the harbour?" }),
  row("two", "lost", 2, { role: "assistant", id: "m1", content: [{ type: "text", text: "In the east." }] }),
];
const path = join(mkdtempSync(join(tmpdir(), "repair-")), "11111111-1111-4111-8111-111111111111.jsonl");
writeFileSync(path, lines.join("\n"));
const plan = planRepair(readEditSource(path), { id: "0f9e8d7c-6b5a-4c3d-9e2f-1a0b9c8d7e6f" });
console.log(plan.problems);
