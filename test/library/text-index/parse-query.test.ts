import { expect, test } from "vitest";
import { toMatchExpression } from "../../../src/library/text-index/find-docs.js";
import { parseQuery } from "../../../src/library/text-index/parse-query.js";

test.each([
  ["lock stale", `("lock") AND ("stale")`],
  [`"the lock" is`, `("the lock") AND ("is")`],
  [`say "not closed`, `("say") AND ("not closed")`],
  ["conf*", `("conf" *)`],
  ["conf**", `("conf" *)`],
  [`"read conf"*`, `("read conf" *)`],
  ["foo.*", `("foo")`],
  ["*foo a*b", `("foo") AND ("a b")`],
  ["lock -stale", `(("lock")) NOT ("stale")`],
  [`lock -"is stale" -x*`, `(("lock")) NOT ("is stale" OR "x" *)`],
  ["run --json well-known", `("run") AND ("json") AND ("well known")`],
  ["a b OR c", `("a") AND ("b" OR "c")`],
  ["a OR b OR c d", `("a" OR "b" OR "c") AND ("d")`],
  [`"a b" OR c*`, `("a b" OR "c" *)`],
  ["OR a OR", `("a")`],
  ["a OR OR b", `("a" OR "or") AND ("b")`],
  ["a OR -b", `(("a")) NOT ("b")`],
  ["OR", `("or")`],
  ["a or b", `("a") AND ("or") AND ("b")`],
  [`"OR" NOT AND NEAR(a b)`, `("or") AND ("not") AND ("and") AND ("near a") AND ("b")`],
  ["snake_case src/app.ts foo.bar()", `("snake case") AND ("src app ts") AND ("foo bar")`],
  ["userName", `("username" OR "user name")`],
  ["getUserNa*", `("getuserna" * OR "get user na" *)`],
  ["-userName a", `(("a")) NOT ("username" OR "user name")`],
  [`"userName"`, `("username")`],
  ["漢字カナ Zürich", `("漢 字 カ ナ") AND ("zurich")`],
  [`a - * : ( ) "" "=>" \0 ^ {x}`, `("a") AND ("x")`],
  [`{"name":"x"}`, `("name") AND ("x")`],
])("%s asks for %s", (text, expression) => {
  expect(toMatchExpression(parseQuery(text))).toBe(expression);
});

test.each([
  ["a -b", "terms"],
  ["-b -=>", "exclusions"],
  ["=> ()", "empty"],
  [`"" - *`, "empty"],
  ["\0", "empty"],
  [" \n", "blank"],
  ["", "blank"],
])("%j is a query of kind %s", (text, kind) => {
  expect(parseQuery(text).kind).toBe(kind);
});

test("exclusions are told apart when there is nothing to find", () => {
  const query = parseQuery(`-a -"b c"`);
  expect(toMatchExpression(query)).toBeUndefined();
  expect(query.excluded.map(({ tokens }) => tokens)).toEqual([["a"], ["b", "c"]]);
});
