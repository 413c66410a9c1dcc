import { beforeEach, describe, expect, test } from "vitest";
import type { Index } from "../../../src/library/catalog/open-index.js";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import { type DocFilter, findDocs, findTitled, readDocs } from "../../../src/library/text-index/find-docs.js";
import { parseQuery } from "../../../src/library/text-index/parse-query.js";
import { createDocWriter, KINDS, kindOf } from "../../../src/library/text-index/write-docs.js";
import { answer, type Draft, prompt, resultFor, toolUses, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { openTestIndex } from "../sync/index-contents.js";

const STORY: readonly Draft[] = [
  prompt("red apple"), // 1 second past midnight
  answer("green apple"),
  toolUses("list"),
  resultFor("list", "apple pie", true),
  answer("cherryPie 林檎"),
];
const ALL: DocFilter = { kinds: KINDS };
const second = (count: number) => Date.UTC(2026, 0, 1) + count * 1000;
let index: Index;

/** Two sessions with the same texts. */
beforeEach(async () => {
  const lines = `${writeLines(STORY).join("\n")}\n`;
  const root = temporaryFolder({
    "projects/-p/00000001-0000-4000-8000-000000000000.jsonl": lines,
    "projects/-p/00000002-0000-4000-8000-000000000000.jsonl": lines,
  });
  index = openTestIndex();
  await syncIndex(index, [root], { texts: "all" });
});

/** Lines and kinds of each file, in its order. */
function find(query: string, filter: Partial<DocFilter> = {}): string[][] {
  const found = findDocs(index.db, parseQuery(query), { ...ALL, ...filter });
  return [...found.values()].map((ids) => {
    const rows = readDocs(index.db, [...ids]);
    return Array.from(ids, (id) => `${rows.get(id)?.line} ${kindOf(id)}`);
  });
}

/** Both files have the same texts. */
const twice = (places: readonly string[]) => (places.length === 0 ? [] : [places, places]);

test("all texts of all files, each in its order", () => {
  expect(find("apple")).toEqual(twice(["1 prompt", "2 answer", "4 toolOutput"]));
});

describe("filters", () => {
  test.each<[string, Partial<DocFilter>, string[]]>([
    ["kinds", { kinds: ["prompt", "title"] }, ["1 prompt"]],
    ["since", { since: second(2) }, ["2 answer", "4 toolOutput"]],
    ["until", { until: second(2) }, ["1 prompt", "2 answer"]],
    ["a tool, whatever its case", { tool: "bash" }, ["4 toolOutput"]],
    ["errors", { errors: true }, ["4 toolOutput"]],
    ["several", { since: second(1), until: second(3), kinds: ["answer"] }, ["2 answer"]],
  ])("%s", (_, filter, expected) => {
    expect(find("apple", filter)).toEqual(twice(expected));
  });
});

test.each([
  ["pie", ["4 toolOutput", "5 answer"]],
  ["cherrypie", ["5 answer"]],
  ["apple -pie", ["1 prompt", "2 answer"]],
  ['"apple pie"', ["4 toolOutput"]],
  ["app* green", ["2 answer"]],
  ["red OR 檎", ["1 prompt", "5 answer"]],
  ["list", ["3 command"]],
])("the query %s", (query, expected) => {
  expect(find(query)).toEqual(twice(expected));
});

test("a query that only excludes finds all else, a blank one everything", () => {
  expect(find("-apple")).toEqual(twice(["3 command", "5 answer"]));
  expect(find("").map(({ length }) => length)).toEqual([5, 5]);
  expect(find(" ", { errors: true })).toEqual(twice(["4 toolOutput"]));
});

test.each(['"', "AND", "NEAR(a b)", "a AND", "text:apple", "(", "^", "a^2", "*", "-", "{a}:b", "\0", "OR OR OR"])(
  "what FTS5 would refuse is no error: %j",
  (query) => {
    expect(Array.isArray(find(query))).toBe(true);
  },
);

test("texts that are replaced or removed are no longer found", () => {
  const docs = createDocWriter(index.db);
  const files = index.db.prepare<{ id: number }>("SELECT id FROM files ORDER BY id").all();
  const [first = -1, other = -1] = files.map(({ id }) => id);
  docs.removeFile(other);
  expect(find("apple")).toEqual([["1 prompt", "2 answer", "4 toolOutput"]]);
  const row = index.db.prepare<{ offset: number }>("SELECT offset FROM docs WHERE line = 2").get();
  docs.removeAt(first, new Set([row?.offset ?? -1]));
  expect(find("green")).toEqual([]);
});

test("titles are found by their words, and no longer after they changed", () => {
  const docs = createDocWriter(index.db);
  docs.setTitle(7, "apple season", undefined);
  expect(findTitled(index.db, parseQuery("season"))).toEqual([7]);
  docs.setTitle(7, "pear season", "apple season");
  const titled = (query: string) => findTitled(index.db, parseQuery(query)).includes(7);
  expect([titled("apple"), titled("pea*"), titled("-pear")]).toEqual([false, true, false]);
});
