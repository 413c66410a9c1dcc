import { expect, test } from "vitest";
import { findChangedWords } from "../../../src/render/html/components/changed-words.js";
import { toDiffLines } from "../../../src/render/html/components/diff-lines.js";

test("only the words that differ are marked, on both sides", () => {
  expect(findChangedWords("return round(a, 2);", "return floor(a, 2);")).toEqual({
    before: [[7, 12]],
    after: [[7, 12]],
  });
});

test("lines that have nothing to do with each other are not marked", () => {
  expect(findChangedWords("import fs from 'node:fs';", "describe the harbour")).toBeUndefined();
});

test("a line that is too long to compare is not marked", () => {
  expect(findChangedWords("a ".repeat(2000), "b ".repeat(2000))).toBeUndefined();
});

test("removed lines are compared with the added lines after them, one by one, and marks are cut where colours change", () => {
  const lines = toDiffLines(
    { oldStart: 1, newStart: 1, lines: ["-let a = 1;", "-let b = 1;", "+let a = 2;", "+let b = 3;", " end"] },
    null,
    (text) =>
      text.split("\n").map((line) => [
        { text: line.slice(0, 9), scope: "keyword" },
        { text: line.slice(9), scope: null },
      ]),
  );
  expect(lines.map(({ html }) => html)).toEqual([
    '<span class="hl-word">let a = </span><mark><span class="hl-word">1</span></mark>;',
    '<span class="hl-word">let b = </span><mark><span class="hl-word">1</span></mark>;',
    '<span class="hl-word">let a = </span><mark><span class="hl-word">2</span></mark>;',
    '<span class="hl-word">let b = </span><mark><span class="hl-word">3</span></mark>;',
    '<span class="hl-word">end</span>',
  ]);
});
