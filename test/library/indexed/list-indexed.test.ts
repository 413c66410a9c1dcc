import { dirname, resolve, sep } from "node:path";
import { expect, test } from "vitest";
import { listIndexed } from "../../../src/library/indexed/list-indexed.js";
import { searchIndexed } from "../../../src/library/indexed/search-indexed.js";
import { syncIndex } from "../../../src/library/indexed/sync-index.js";
import { listSessions } from "../../../src/library/list-sessions.js";
import { openTestIndex } from "./index-contents.js";

const DEMO = resolve(import.meta.dirname, "..", "..", "..", "demo");

test.each([{}, { limit: 3 }, { limit: 0 }, { limit: 1000 }, { limit: 2, errors: true }, { tool: "bash" }])(
  "the index lists with %o what reading all sessions lists, in the same order",
  async (filter) => {
    const index = openTestIndex();
    await syncIndex(index, [DEMO]);
    const { sessions } = listIndexed(index.db, [DEMO], {}, filter);
    expect(sessions).toEqual(listSessions(DEMO, filter).sessions);
  },
);

test("sessions of other folders are not listed", async () => {
  const index = openTestIndex();
  await syncIndex(index, [DEMO]);
  expect(listIndexed(index.db, [`${DEMO}-other`], {}, { limit: 5 }).sessions).toEqual([]);
  expect(listIndexed(index.db, []).sessions).toEqual([]);
});

test("only the folders that are asked for are searched", async () => {
  const index = openTestIndex();
  await syncIndex(index, [DEMO]);
  const pathsBelow = (...roots: string[]) => {
    const answer = searchIndexed(index, roots, { text: "the", mode: "words", filter: { limit: 1000 } }, []);
    return answer?.hits.map(({ path }) => path) ?? [];
  };
  const all = pathsBelow(DEMO);
  const one = dirname(all[0] ?? "");
  const below = all.filter((path) => path.startsWith(one + sep));
  expect(below.length).toBeLessThan(all.length);
  expect(pathsBelow(one)).toEqual(below);
  expect(pathsBelow(`${DEMO}-other`)).toEqual([]);
});
