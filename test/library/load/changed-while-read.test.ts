import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSession } from "../../../src/library/load/load-session.js";
import { answer, prompt, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

const ID = "00000001-0000-4000-8000-000000000000";
const lines = writeLines([prompt("one"), answer("first"), prompt("two"), answer("second"), prompt("three")]);
const text = (part: readonly string[]) => `${part.join("\n")}\n`;

/** A session of which only the outline was read. */
function outlined() {
  const path = join(temporaryFolder({ [`${ID}.jsonl`]: text(lines) }), `${ID}.jsonl`);
  return { path, session: loadSession(path) };
}

test.each<[string, (path: string) => void, string]>([
  ["cut", (path) => truncateSync(path, 100), "rewritten"],
  ["emptied", (path) => writeFileSync(path, ""), "rewritten"],
  ["deprived of its first line in place", (path) => writeFileSync(path, text(lines.slice(1))), "rewritten"],
  [
    "replaced by a trimmed file that is as long again",
    (path) => {
      writeFileSync(`${path}.new`, text([...lines.slice(2), ...lines]));
      renameSync(`${path}.new`, path);
    },
    "rewritten",
  ],
  ["deleted", (path) => rmSync(path), "deleted or moved"],
])("a session that is %s between outline and turns is one clear line", (_, change, what) => {
  const { path, session } = outlined();
  change(path);
  const message = `${path} was ${what} while it was read`;
  expect(() => [...session.turns()]).toThrow(expect.objectContaining({ name: "UserError", message }));
});

test.each<[string, (path: string) => void]>([
  ["goes on", (path) => appendFileSync(path, text(lines))],
  ["is touched", (path) => utimesSync(path, 1000, 1000)],
  [
    "is copied to a new inode",
    (path) => {
      writeFileSync(`${path}.new`, readFileSync(path));
      renameSync(`${path}.new`, path);
    },
  ],
])("a session that %s between outline and turns is read as it was outlined", (_, change) => {
  const { path, session } = outlined();
  change(path);
  expect([...session.turns()].map((turn) => turn.prompt)).toEqual(["one", "two", "three"]);
});
