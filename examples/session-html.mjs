// A session as one page that needs nothing but itself.
import { join } from "node:path";
import { createRedactor } from "turnlog";
import { loadSession } from "turnlog/library";
import { sessionHtml, showSession } from "turnlog/render";

const session = loadSession(
  join(import.meta.dirname, "../demo/projects/-home-dev-src-pebble-rs/8359096c-e1ac-4641-87c1-f47bd7293ce7.jsonl"),
);
const page = await sessionHtml(showSession(session, { clean: createRedactor({ level: "redact" }).json }));
console.log(page.slice(0, page.indexOf("\n")), page.match(/<title>.*<\/title>/)?.[0]);
console.log("It may load:", page.match(/default-src [^;]+/)?.[0]);
