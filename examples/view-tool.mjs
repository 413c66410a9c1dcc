// What each tool call of a session did: a title, and parts that any surface can paint.
import { join } from "node:path";
import { loadSession } from "turnlog/library";
import { viewTool } from "turnlog/render";

const session = loadSession(
  join(import.meta.dirname, "../demo/projects/-home-dev-src-pebble-rs/8359096c-e1ac-4641-87c1-f47bd7293ce7.jsonl"),
);
for (const { toolCalls } of session.turns(1, 2)) {
  for (const call of toolCalls) {
    const { title, parts } = viewTool(call);
    console.log(call.name.padEnd(6), title, `(${parts.map(({ kind }) => kind).join(", ")})`);
  }
}
