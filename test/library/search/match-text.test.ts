import fc from "fast-check";
import { expect, test } from "vitest";
import { compileQuery } from "../../../src/library/search/match-text.js";
import { toMatchExpression } from "../../../src/library/text-index/find-docs.js";
import { parseQuery } from "../../../src/library/text-index/parse-query.js";
import { runs } from "../../runs.js";
import { anyPiece, anyText } from "../text-index/any-text.js";
import { openFullTextTable } from "../text-index/full-text-table.js";

test.each([
  ["stale lock", "the lock is stale", true],
  ["stale lock", "the lock", false],
  [`"lock is"`, "the Lock is stale", true],
  [`"is lock"`, "the lock is stale", false],
  ["sta*", "the lock is stale", true],
  ["a -b", "a b", false],
  ["a OR x", "b x", true],
  ["snake_case", "my_snake_case_name", true],
  ["name", "getUserName", true],
  ["userName", "getUserNameFor", true],
  ["userName", "username", true],
  ["userName", "user name", true],
  ["userName", "name user", false],
  ["userNa*", "getUserNameFor", true],
  [`"name user"`, "getName UserList", false],
  ["字", "漢字", true],
])("%s in %s, by scan and by index: %s", (text, searched, expected) => {
  const table = openFullTextTable();
  table.fill([searched]);
  const query = parseQuery(text);
  expect(compileQuery(query)(searched)).toBe(expected);
  expect(table.find(toMatchExpression(query) ?? "")).toEqual(expected ? [0] : []);
});

test.each([
  ["-a", "b", true],
  ["-a", "a b", false],
  ["=>", "=>", false],
  ["", "a", false],
])("%s in %s, by scan alone: %s", (query, text, expected) => {
  expect(compileQuery(parseQuery(query))(text)).toBe(expected);
});

const capitalize = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

/** Words cut from the texts, or joined to camelCase, with the signs of the query language around them. */
const anyTextsAndQuery = fc.array(anyText, { minLength: 1, maxLength: 4 }).chain((texts) => {
  const words = ["a", ...texts.flatMap((text) => text.split(/\s+/)).filter((word) => word !== "")];
  const joined = words.map((word, at) => word + capitalize(words[at + 1] ?? ""));
  const anyWord = fc.oneof(fc.constantFrom(...words), fc.constantFrom(...joined), anyPiece);
  const anyPhrase = fc.tuple(anyWord, anyWord).map((pair) => `"${pair.join(" ")}"`);
  const anyPrefix = anyWord.map((word) => `${word.slice(0, 2)}*`);
  const anyTerm = fc.oneof({ weight: 3, arbitrary: anyWord }, anyPhrase, anyPrefix, fc.constant("OR"));
  const anySigned = fc.tuple(fc.constantFrom("", "", "", "-"), anyTerm).map((pair) => pair.join(""));
  const anyQuery = fc.array(anySigned, { minLength: 1, maxLength: 4 }).map((terms) => terms.join(" "));
  return fc.tuple(fc.constant(texts), anyQuery);
});

test("the index finds exactly what a scan finds", () => {
  const table = openFullTextTable();
  fc.assert(
    fc.property(anyTextsAndQuery, ([texts, text]) => {
      table.fill(texts);
      const query = parseQuery(text);
      const expression = toMatchExpression(query);
      fc.pre(expression !== undefined);
      const scanned = texts.flatMap((searched, id) => (compileQuery(query)(searched) ? [id] : []));
      expect(table.find(expression)).toEqual(scanned);
    }),
    runs(500),
  );
});

test("no query is an error", () => {
  const table = openFullTextTable();
  table.fill(["a b"]);
  const anyQuery = fc.oneof(
    anyText,
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...'ab "*-:^()+{}\0OR') }),
  );
  fc.assert(
    fc.property(anyQuery, (text) => {
      const query = parseQuery(text);
      const negated = { ...query, required: query.excluded.map((term) => [term]), excluded: [] };
      const expressions = [query, negated].map(toMatchExpression).filter((it) => it !== undefined);
      expect(() => expressions.map((expression) => table.find(expression))).not.toThrow();
    }),
    runs(500),
  );
});

test("a pasted page is a query too", () => {
  const table = openFullTextTable();
  const page = Array.from({ length: 3000 }, (_, at) => `word${at} fooBar${at}`).join(" ");
  table.fill([page, "word1"]);
  expect(table.find(toMatchExpression(parseQuery(page)) ?? "")).toEqual([0]);
});
