// The beginning of a session as the terminal shows it, without colours.
import { join } from "node:path";
import { createRedactor } from "turnlog";
import { loadSession } from "turnlog/library";
import { createStyle, sessionText, showSession } from "turnlog/render";

const session = loadSession(
  join(import.meta.dirname, "../demo/projects/-home-dev-src-pebble-rs/8359096c-e1ac-4641-87c1-f47bd7293ce7.jsonl"),
);
const shown = showSession(session, { clean: createRedactor({ level: "mask" }).json, range: { from: 1, to: 1 } });
const paint = {
  style: createStyle(false),
  columns: 72,
  isPlain: false,
  thinking: false,
  tools: "brief",
  highlight: null,
};
for (const piece of sessionText(shown, paint)) process.stdout.write(piece);
