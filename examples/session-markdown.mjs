// One turn as Markdown, ready to be pasted into an issue.
import { join } from "node:path";
import { createRedactor } from "turnlog";
import { loadSession } from "turnlog/library";
import { sessionMarkdown, showSession } from "turnlog/render";

const session = loadSession(
  join(import.meta.dirname, "../demo/projects/-home-dev-src-pebble-rs/8359096c-e1ac-4641-87c1-f47bd7293ce7.jsonl"),
);
const shown = showSession(session, { clean: createRedactor({ level: "redact" }).json, range: { from: 1, to: 1 } });
const options = { tools: "brief", thinking: false, depth: 1, isWhole: false };
for (const piece of sessionMarkdown(shown, options)) process.stdout.write(piece);
