import fc from "fast-check";
import { expect, test } from "vitest";
import { narrowLiteral } from "../../../src/library/text-index/find-docs.js";
import { runs } from "../../runs.js";
import { anyText } from "./any-text.js";
import { openFullTextTable } from "./full-text-table.js";

test.each([
  ["foo", undefined],
  ["foo ", undefined],
  ["=>", undefined],
  ["", undefined],
  [" Zürich ", undefined],
  [" foo", `text : "foo" *`],
  ["(foo)", `text : "foo"`],
  ["a.Foo.b", `text : "foo b" *`],
  ["import { x } from", `text : "x from" *`],
])("%j narrows to %s", (literal, expression) => {
  expect(narrowLiteral(literal)).toBe(expression);
});

test("no text that contains the literal is lost", () => {
  const table = openFullTextTable();
  const anyLiteral = fc.array(fc.constantFrom("a", "Foo", "fooBar", "2", " ", ".", "_", "\0", "\n"), { maxLength: 6 });
  fc.assert(
    fc.property(anyText, anyLiteral, anyText, (before, pieces, after) => {
      const literal = pieces.join("");
      const expression = narrowLiteral(literal);
      fc.pre(expression !== undefined);
      table.fill([`${before}${literal}${after}`]);
      expect(table.find(expression)).toEqual([0]);
    }),
    runs(300),
  );
});
