import { expect, test } from "vitest";
import { formatCost, formatCount, formatDuration, formatTokens } from "../../src/render/format-values.js";

test.each([
  [1, "1 turn"],
  [999, "999 turns"],
  [10_536, "10,536 turns"],
  [1_234_567, "1,234,567 turns"],
])("%i is counted as %s", (count, words) => {
  expect(formatCount(count, "turn")).toBe(words);
});

test.each([
  [0.0059, "$0.0059"],
  [12.5, "$12.50"],
  [1579.034, "$1,579.03"],
  [null, "cost unknown"],
])("a cost of %s is shown as %s", (costUsd, words) => {
  expect(formatCost(costUsd)).toBe(words);
});

test.each([
  [950, "950 ms"],
  [1_500, "1.5 s"],
  [479_600, "8 min 0 s"],
  [3_599_700, "1 h 0 min"],
])("%i ms are shown as %s", (durationMs, words) => {
  expect(formatDuration(durationMs)).toBe(words);
});

test.each([
  [950, "950"],
  [12_340, "12.3k"],
  [4_560_000, "4.56M"],
  [2_500_000, "2.5M"],
  [3_000_000, "3M"],
  [2_483_950_000, "2.48B"],
])("%i tokens are shown as %s", (tokens, words) => {
  expect(formatTokens(tokens)).toBe(words);
});
