// Two turns as every surface shows them, without keys and tokens.
import { join } from "node:path";
import { createRedactor } from "turnlog";
import { loadSession } from "turnlog/library";
import { showSession } from "turnlog/render";

const session = loadSession(
  join(import.meta.dirname, "../demo/projects/-home-dev-data-tide-pipeline/ce53b57f-8af3-4510-9a63-13d0e24e22ed.jsonl"),
);
const { json } = createRedactor({ level: "mask" });
for (const { turn, items } of showSession(session, { clean: json, range: { from: 1, to: 2 } }).turns()) {
  console.log(`turn ${turn.index}:`, items.map(({ kind }) => kind).join(", "));
}
