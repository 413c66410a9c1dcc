import { expect, test } from "vitest";
import { failingLine } from "../../../src/render/tools/failing-line.js";

test.each([
  [
    "Exit code 1\n==== test session starts ====\ncollected 3 items\nE   AssertionError: 1 != 2",
    "E   AssertionError: 1 != 2",
  ],
  ["> vitest run\n ✓ a.test.ts\n\nAssertionError: expected 1 to be 2", "AssertionError: expected 1 to be 2"],
  ["Compiling pebble\nwarning: unused\nerror[E0308]: mismatched types", "error[E0308]: mismatched types"],
  ["0 errors so far\nbash: nosuch: command not found", "bash: nosuch: command not found"],
  ["Exit code 2\njust words", "just words"],
  ["Exit code 3", "Exit code 3"],
  ["", ""],
])("of %j the line that shows the failure is shown", (text, line) => {
  expect(failingLine(text)).toBe(line);
});
