import fc from "fast-check";
import { expect, test } from "vitest";
import { compileQuery, findMatches } from "../../../src/library/search/match-text.js";
import { parseQuery } from "../../../src/library/text-index/parse-query.js";
import { runs } from "../../runs.js";
import { anyText } from "../text-index/any-text.js";

const marked = (query: string, text: string) =>
  findMatches(parseQuery(query), text).map(({ start, end }) => text.slice(start, end));

test.each([
  ["lock", "a Lock, a lock", ["Lock", "lock"]],
  [`"is stale"`, "it is, is\n stale", ["is\n stale"]],
  ["sta*", "stale state", ["stale", "state"]],
  ["b OR c", "a b c", ["b", "c"]],
  ["a -b", "a b", ["a"]],
  ["user", "getUserName", ["User"]],
  ["userName", "getUserNameFor(userName)", ["UserName", "userName"]],
  ["snake_case", "x snake_case", ["snake_case"]],
  ["字カ", "漢字カナ", ["字カ"]],
  ["cafe", "un cafe\u0301!", ["cafe\u0301"]],
  ["", "a", []],
])("%s in %j", (query, text, expected) => {
  expect(marked(query, text)).toEqual(expected);
});

test("frequent words do not hide rare ones", () => {
  const text = `${"the ".repeat(1000)}needle`;
  const matches = findMatches(parseQuery("the needle"), text);
  expect(matches).toHaveLength(9);
  expect(matches.at(-1)).toEqual({ start: 4000, end: 4006, term: 1 });
});

test("a phrase is found far into a text", () => {
  const text = `${"the ".repeat(2501)}very last needle`;
  const matches = findMatches(parseQuery(`"the very last needle" absent`), text);
  expect(matches).toEqual([{ start: 10_000, end: text.length, term: 0 }]);
});

test("a text that matches has something to mark", () => {
  const anyWord = fc.constantFrom("a", "foo", "fooBar", "Bar", "b*", "漢字", "zurich", "snake_case", "http", "ガ");
  fc.assert(
    fc.property(anyWord, anyText, (word, text) => {
      const query = parseQuery(word);
      expect(findMatches(query, text).length > 0).toBe(compileQuery(query)(text));
    }),
    runs(500),
  );
});
