// What is wrong with a session file, in which line, and how to mend it.
import { verifySession } from "turnlog";

const sessionId = "0b6d2b0e-5f5c-4c57-9b53-3f1d4c9d2a10";
const line = (type, uuid, parentUuid, timestamp, content) => {
  const message = { role: type, id: `msg_${uuid}`, content };
  return JSON.stringify({ type, uuid, parentUuid, sessionId, timestamp, message });
};
const lines = [
  line("user", "u1", null, "2026-05-01T10:00:00.000Z", "How many planets are there?"),
  line("assistant", "a1", "gone", "2026-05-01T10:00:04.000Z", [{ type: "text", text: "Eight." }]),
  '{"type":"user","mess',
];

const { ok, problems } = verifySession([Buffer.from(lines.join("\n"))], `${sessionId}.jsonl`);
console.log(ok ? "fine" : "not fine");
for (const { line, severity, message, fix } of problems) console.log(`line ${line}: ${severity}: ${message}\n  ${fix}`);
