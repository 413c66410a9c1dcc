import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { cachedAnswer } from "../../../src/library/catalog/cached-answers.js";
import { indexWriterOf } from "../../../src/library/sync/index-writer.js";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import { openDatabase } from "../../../src/store/sqlite.js";
import { answer, prompt, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { openTestIndex } from "../sync/index-contents.js";

const FIRST = "projects/-p0/00000001-0000-4000-8000-000000000000.jsonl";
const SECOND = "projects/-p0/00000002-0000-4000-8000-000000000000.jsonl";
const session = (text: string) => `${writeLines([prompt(text), answer("done")]).join("\n")}\n`;

async function asked() {
  const root = temporaryFolder({ [FIRST]: session("one"), [SECOND]: session("two") });
  const index = openTestIndex();
  const sync = () => syncIndex(index, [root]);
  const compute = vi.fn(() => ({ sum: 7 }));
  await sync();
  return { root, index, sync, compute, ask: (question: unknown = "sum") => cachedAnswer(index.db, question, compute) };
}

test("the same question is answered once", async () => {
  const { ask, compute, sync } = await asked();
  expect([ask(), ask()]).toEqual([{ sum: 7 }, { sum: 7 }]);
  await sync();
  ask();
  expect(compute).toHaveBeenCalledTimes(1);
  ask(["sum", "of", "another"]);
  expect(compute).toHaveBeenCalledTimes(2);
});

test.each([
  { what: "grows", change: (root: string) => appendFileSync(join(root, FIRST), session("three")) },
  { what: "shrinks", change: (root: string) => truncateSync(join(root, FIRST), session("one").indexOf("\n") + 1) },
  { what: "is replaced", change: (root: string) => writeFileSync(join(root, FIRST), session("an other one")) },
  { what: "is gone", change: (root: string) => rmSync(join(root, FIRST)) },
  {
    what: "moves",
    change(root: string) {
      const place = join(root, FIRST.replace("-p0", "-p1"));
      mkdirSync(dirname(place));
      renameSync(join(root, FIRST), place);
    },
  },
])("once a session $what the answer is another", async ({ change }) => {
  const { ask, compute, root, sync } = await asked();
  ask();
  change(root);
  await sync();
  ask();
  expect(compute).toHaveBeenCalledTimes(2);
});

test("what changed while an answer was computed makes it worthless", async () => {
  const { index, ask, compute } = await asked();
  const other = openDatabase(index.path);
  compute.mockImplementationOnce(() => {
    indexWriterOf(other).numbers.removeFile(1);
    return { sum: 7 };
  });
  ask();
  other.close();
  ask();
  expect(compute).toHaveBeenCalledTimes(2);
});

test("nobody waits for another who writes", async () => {
  const { index, ask, compute } = await asked();
  const other = openDatabase(index.path);
  other.exec("BEGIN IMMEDIATE");
  expect(ask()).toEqual({ sum: 7 });
  expect(index.db.prepare("SELECT count(*) AS count FROM answers").get()).toEqual({ count: 0 });
  other.exec("COMMIT");
  other.close();
  ask();
  expect(compute).toHaveBeenCalledTimes(2);
});
