import { expect, test } from "vitest";
import { parseTypedSearch, withPrefix } from "../../../src/server/routes/search.js";

test.each([
  ["roun", "roun*"],
  ["cart roun", "cart roun*"],
  ["ro", "ro"],
  ['"roun"', '"roun"'],
  ["a OR", "a OR"],
  ["結果 検索語", "結果 検索語*"],
  ["roun.", "roun."],
])("the search box asks for %s as %s", (typed, asked) => {
  expect(withPrefix(typed)).toBe(asked);
});

test.each([
  ["mode:regex a+b", { mode: "regex", matchesCase: false, text: "a+b" }],
  ["case:yes FooBar", { mode: "literal", matchesCase: true, text: "FooBar" }],
  ["case:yes mode:regex Fo+", { mode: "regex", matchesCase: true, text: "Fo+" }],
  ["mode:other word", { mode: undefined, matchesCase: false, text: "mode:other word" }],
])("%s is a search with %o", (box, expected) => {
  expect(parseTypedSearch(box)).toMatchObject(expected);
});
