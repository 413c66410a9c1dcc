// A whole session, understood: what was asked for, and what it took.
import { join } from "node:path";
import { parseTranscript } from "turnlog";

const shop = join(import.meta.dirname, "../demo/projects/-home-dev-code-lantern-shop");
const { session, turns, totals } = await parseTranscript({
  path: join(shop, "1a0a6e10-985c-4ed5-8a3b-4c3f23f7407b.jsonl"),
});

console.log(session.title, `(${session.models.join(", ")})`);
for (const { index, prompt, messages, toolCalls } of turns) {
  console.log(`${index}. ${prompt.split("\n")[0]} [${messages.length} messages, ${toolCalls.length} tool calls]`);
}
console.log(`${totals.usage.output} output tokens, $${totals.costUsd.toFixed(2)}`);
