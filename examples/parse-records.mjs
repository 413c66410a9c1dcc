// The lines of a text as records. What cannot be read is a record too: nothing is lost, nothing throws.
import { parseRecords } from "turnlog";

const text = [
  '{"type":"user","uuid":"u1","message":{"role":"user","content":"Hello"}}',
  '{"type":"a type from the future","answer":42}',
  '{"type":"user","uuid":"u2","mess',
].join("\n");

for (const record of parseRecords(text)) {
  console.log(`line ${record.line}: ${record.kind}`, record.kind === "broken" ? record.reason : record.type);
}
