// Every place where words stand: in prompts, answers, thinking, tool input or output.
import { join } from "node:path";
import { search } from "turnlog";

for (const hit of search(join(import.meta.dirname, "../demo"), "fingerprint")) {
  console.log(hit.sessionId.slice(0, 8), `turn ${hit.turn}`, [hit.tool, hit.kind].join(" ").trim());
  console.log(`  ${hit.snippet}`);
}
