// A session as a terminal recording (asciicast v2), ten times faster than it was.
import { join } from "node:path";
import { createRedactor } from "turnlog";
import { loadSession } from "turnlog/library";
import { sessionCast, showSession } from "turnlog/render";

const session = loadSession(
  join(import.meta.dirname, "../demo/projects/-home-dev-src-pebble-rs/8359096c-e1ac-4641-87c1-f47bd7293ce7.jsonl"),
);
const shown = showSession(session, { clean: createRedactor({ level: "redact" }).json });
const options = { columns: 80, rows: 24, speed: 10, maxPause: 2, tools: "brief", thinking: false, depth: 1 };
const lines = [...sessionCast(shown, options)];
console.log(lines[0].trim());
console.log(lines.length - 1, "steps, the last one at second", Math.round(JSON.parse(lines.at(-1))[0]));
