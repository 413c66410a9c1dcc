import { expect, test } from "vitest";
import { traceLines } from "../../../src/session/file-history/trace-lines.js";

test("each line is known by the change that wrote it last, and each lost line by the change that removed it", () => {
  const { writtenBy, removedBy } = traceLines([
    { before: "a\nb\nc\n", after: "a\nB\nc\n" },
    { before: "a\nB\nc\n", after: "a\nB\nc\nd\n" },
    { before: "a\nB\nc\nd\n", after: "B!\nc\nd\n" },
  ]);
  expect(writtenBy).toEqual([2, undefined, 1]);
  expect([...removedBy]).toEqual([
    [1, 0],
    [0, 2],
  ]);
});

test("what something else changed in between belongs to no change", () => {
  const { writtenBy, removedBy } = traceLines([
    { before: null, after: "a\nb\n" },
    { before: "a\nb\nby hand\n", after: "a\nb\nby hand\nc\n" },
  ]);
  expect(writtenBy).toEqual([0, 0, undefined, 1]);
  expect(removedBy.size).toBe(0);
});
