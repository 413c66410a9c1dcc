import { beforeEach, describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import type { Index } from "../../../src/library/catalog/open-index.js";
import { CallMemory } from "../../../src/library/text-index/file-texts.js";
import { type DocFilter, findDocs, findLiteralCandidates } from "../../../src/library/text-index/find-docs.js";
import { parseQuery } from "../../../src/library/text-index/parse-query.js";
import { createDocWriter, KINDS, kindOf } from "../../../src/library/text-index/write-docs.js";
import { answer, type Draft, prompt, resultFor, toolUses, writeLines } from "../../builders/session-builder.js";
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

beforeEach(() => {
  index = openTestIndex();
  const docs = createDocWriter(index.db);
  for (const file of [1, 2]) {
    const calls = new CallMemory("unused");
    for (const record of parseRecords(writeLines(STORY).join("\n"))) docs.addRecord(file, record, calls);
  }
  docs.setTitle(1, "apple season", undefined);
});

test("the score of a word that stands in most texts has digits enough to compare", () => {
  const scores = findDocs(index.db, parseQuery("apple"), ALL, 100).map(({ score }) => score);
  expect(Math.max(...scores)).toBeLessThan(-1000);
});

test("the beginning of a word is weighed only where it does not stand in more texts than are wanted", () => {
  const scores = (query: string, limit: number) =>
    findDocs(index.db, parseQuery(query), ALL, limit).map(({ score }) => score);
  expect(scores("app*", 8)).toEqual(scores("apple", 8));
  expect(scores("app*", 8)).toHaveLength(7);
  expect(scores("app*", 7)).not.toEqual(scores("apple", 7));
});

/** Files, lines and kinds, in the order in which they are given. */
function find(query: string, filter: Partial<DocFilter> = {}, limit = 100): string[] {
  const found = findDocs(index.db, parseQuery(query), { ...ALL, ...filter }, limit);
  const place = index.db.prepare<{ file: number; line: number }>("SELECT file, line FROM docs WHERE id = ?");
  return found.map(({ id }) => {
    const { file, line } = place.get(id) ?? {};
    return `${file}:${line} ${kindOf(id)}`;
  });
}

const ofFirst = { files: [1] };

test("the newest first, of all files, no more than asked for", () => {
  expect(find("apple")).toEqual([
    "1:0 title",
    "2:4 toolOutput",
    "2:2 answer",
    "2:1 prompt",
    "1:4 toolOutput",
    "1:2 answer",
    "1:1 prompt",
  ]);
  expect(find("apple", {}, 2)).toEqual(["1:0 title", "2:4 toolOutput"]);
});

describe("filters", () => {
  test.each<[string, Partial<DocFilter>, string[]]>([
    ["kinds", { kinds: ["prompt", "title"] }, ["1:0 title", "1:1 prompt"]],
    ["since", { since: second(2) }, ["1:4 toolOutput", "1:2 answer"]],
    ["until", { until: second(2) }, ["1:2 answer", "1:1 prompt"]],
    ["a tool, whatever its case", { tool: "bash" }, ["1:4 toolOutput"]],
    ["errors", { errors: true }, ["1:4 toolOutput"]],
    ["several", { since: second(1), until: second(3), kinds: ["answer"] }, ["1:2 answer"]],
    ["no files at all", { files: [] }, []],
  ])("%s", (_, filter, expected) => {
    expect(find("apple", { ...ofFirst, ...filter })).toEqual(expected);
  });
});

test.each([
  ["pie", ["1:5 answer", "1:4 toolOutput"]],
  ["cherrypie", ["1:5 answer"]],
  ["apple -pie", ["1:0 title", "1:2 answer", "1:1 prompt"]],
  ['"apple pie"', ["1:4 toolOutput"]],
  ["app* green", ["1:2 answer"]],
  ["red OR 檎", ["1:5 answer", "1:1 prompt"]],
  ["list", ["1:3 command"]],
])("the query %s", (query, expected) => {
  expect(find(query, ofFirst)).toEqual(expected);
});

test("a query that only excludes finds all else, a blank one everything", () => {
  expect(find("-apple", ofFirst)).toEqual(["1:5 answer", "1:3 command"]);
  expect(find("", ofFirst)).toHaveLength(6);
  expect(find(" ", { errors: true })).toEqual(["2:4 toolOutput", "1:4 toolOutput"]);
});

test.each(['"', "AND", "NEAR(a b)", "a AND", "text:apple", "(", "^", "a^2", "*", "-", "{a}:b", "\0", "OR OR OR"])(
  "what FTS5 would refuse is no error: %j",
  (query) => {
    expect(Array.isArray(find(query))).toBe(true);
  },
);

test("a literal is narrowed where that is certain", () => {
  const candidates = (text: string) => findLiteralCandidates(index.db, text, { ...ALL, ...ofFirst })?.length;
  expect(["n apple", " pie", "apple", "=>", "林檎"].map(candidates)).toEqual([4, 1, undefined, undefined, undefined]);
});

test("texts that are replaced or removed are no longer found", () => {
  const docs = createDocWriter(index.db);
  docs.setTitle(1, "pear season", "apple season");
  docs.removeFile(2);
  expect(find("apple")).toEqual(["1:4 toolOutput", "1:2 answer", "1:1 prompt"]);
  expect(find("pear")).toEqual(["1:0 title"]);
  const [second] = parseRecords(`\n${writeLines(STORY)[1]}`);
  const place = index.db.prepare<{ offset: number }>("SELECT offset FROM docs WHERE file = 1 AND line = 2").get();
  docs.removeAt(1, { line: 2, offset: place?.offset ?? 0, length: second?.length ?? 0 });
  expect(find("green")).toEqual([]);
});
