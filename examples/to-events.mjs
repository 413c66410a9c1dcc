// A session as a flat list of events: what failed, and when?
import { join } from "node:path";
import { parseTranscript, toEvents } from "turnlog";

const shop = join(import.meta.dirname, "../demo/projects/-home-dev-code-lantern-shop");
const session = await parseTranscript({ path: join(shop, "1a0a6e10-985c-4ed5-8a3b-4c3f23f7407b.jsonl") });
for (const { timestamp, type, tool, input, errorMsg, success } of toEvents(session)) {
  if (success === false) console.log(timestamp, type, tool, `${input}\n  ${errorMsg?.split("\n")[0]}`);
}
