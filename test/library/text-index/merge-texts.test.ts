import { expect, test } from "vitest";
import { mergeTexts } from "../../../src/library/text-index/write-docs.js";
import { openTestIndex } from "../sync/index-contents.js";

const NUMBERS = Array.from({ length: 6 }, (_, at) => at + 1);

test("the pieces of several syncs become one, in which the same is found", async () => {
  const { db } = openTestIndex();
  const insert = db.prepare("INSERT INTO texts (rowid, text) VALUES (?, ?)");
  const found = () => db.prepare("SELECT rowid AS id FROM texts WHERE texts MATCH 'pear' ORDER BY rowid").all();
  const pieces = () =>
    db.prepare<{ count: number }>("SELECT count(DISTINCT segid) AS count FROM texts_idx").get()?.count;
  for (const number of NUMBERS) db.transaction(() => insert.run(number, `pear number${number}`));
  expect(pieces()).toBe(NUMBERS.length);
  await mergeTexts(db);
  expect(pieces()).toBe(1);
  expect(found()).toEqual(NUMBERS.map((id) => ({ id })));
});
