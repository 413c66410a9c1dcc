import { expect, test } from "vitest";
import { asksOnly } from "../../src/cli/main.js";

test.each([
  [["--version"]],
  [["-V"]],
  [["--help"]],
  [["help", "show"]],
  [["show", "--help"]],
  [["index", "sync", "-h"]],
])("%j reads and writes nothing", (args) => {
  expect(asksOnly(args)).toBe(true);
});

test.each([[[]], [["show", "last"]], [["list"]], [["search", "help"]]])("%j is work", (args) => {
  expect(asksOnly(args)).toBe(false);
});
