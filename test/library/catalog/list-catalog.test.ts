import { dirname, resolve, sep } from "node:path";
import { expect, test } from "vitest";
import { listFromIndex } from "../../../src/library/catalog/list-catalog.js";
import { listSessions } from "../../../src/library/catalog/list-sessions.js";
import { searchLibrary } from "../../../src/library/search/run-search.js";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import { openTestIndex } from "../sync/index-contents.js";

const DEMO = resolve(import.meta.dirname, "..", "..", "..", "demo");

test.each([{}, { limit: 3 }, { limit: 0 }, { limit: 1000 }, { limit: 2, errors: true }, { tool: "bash" }])(
  "the index lists with %o what reading all sessions lists, in the same order",
  async (filter) => {
    const index = openTestIndex();
    await syncIndex(index, [DEMO]);
    const { sessions } = listFromIndex(index.db, [DEMO], {}, filter);
    expect(sessions).toEqual(listSessions(DEMO, filter).sessions);
  },
);

test("sessions of other folders are not listed", async () => {
  const index = openTestIndex();
  await syncIndex(index, [DEMO]);
  expect(listFromIndex(index.db, [`${DEMO}-other`], {}, { limit: 5 }).sessions).toEqual([]);
  expect(listFromIndex(index.db, []).sessions).toEqual([]);
});

test("only the folders that are asked for are searched", async () => {
  const index = openTestIndex();
  await syncIndex(index, [DEMO]);
  const pathsBelow = async (...roots: string[]) => {
    const answer = await searchLibrary(index, roots, { text: "the", mode: "words", filter: { limit: 1000 } });
    return answer.hits.map(({ path }) => path);
  };
  const all = await pathsBelow(DEMO);
  const one = dirname(all[0] ?? "");
  const below = all.filter((path) => path.startsWith(one + sep));
  expect(below.length).toBeLessThan(all.length);
  expect(await pathsBelow(one)).toEqual(below);
  expect(await pathsBelow(`${DEMO}-other`)).toEqual([]);
});
