import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSession } from "../../../src/library/load/load-session.js";
import { KEPT_BYTES } from "../../../src/session/open-session.js";
import { answer, prompt, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";

const ID = "00000001-0000-4000-8000-000000000000";

function write(text: string): string {
  const lines = writeLines([prompt("one"), answer(text), prompt("two"), answer("second")]);
  return join(temporaryFolder({ [`${ID}.jsonl`]: `${lines.join("\n")}\n` }), `${ID}.jsonl`);
}

test.each(corpusSessions())("decoding %s once or twice gives the same turns", (file) => {
  const [once, twice] = [true, false].map((readsAllTurns) => loadSession(join(CORPUS, file), { readsAllTurns }));
  expect([...(once?.turns() ?? [])]).toEqual([...(twice?.turns() ?? [])]);
  expect(once?.preamble()).toEqual(twice?.preamble());
  expect(once?.outline.totals).toEqual(twice?.outline.totals);
});

test("a session of which all turns will be read is not read again", () => {
  const path = write("first");
  const session = loadSession(path, { readsAllTurns: true });
  rmSync(path);
  expect([...session.turns()].map((turn) => turn.prompt)).toEqual(["one", "two"]);
});

test("a large session is not kept in memory", () => {
  const path = write("x".repeat(KEPT_BYTES));
  const session = loadSession(path, { readsAllTurns: true });
  expect(readFileSync(path).length).toBeGreaterThan(KEPT_BYTES);
  rmSync(path);
  expect(() => [...session.turns()]).toThrow("deleted or moved");
});
