import fc from "fast-check";
import { expect, test } from "vitest";
import { breakSpans, type SpanLine, spansWidth, toSpan, wrapSpans } from "../../../src/render/terminal/spans.js";
import { runs } from "../../runs.js";

const textOf = (rows: readonly SpanLine[]) => rows.map((row) => row.map(({ text }) => text).join(""));
const wrap = (text: string, width: number) => textOf(wrapSpans([toSpan(text)], width));

test.each([
  { name: "between words", text: "one two three four", width: 9, rows: ["one two", "three", "four"] },
  {
    name: "inside a word that is wider than the row",
    text: "a abcdefghij b",
    width: 4,
    rows: ["a", "abcd", "efgh", "ij b"],
  },
  { name: "and keeps the spaces at the beginning", text: "  one two", width: 6, rows: ["  one", "two"] },
  { name: "between Chinese characters", text: "漢字漢字漢字", width: 5, rows: ["漢字", "漢字", "漢字"] },
  { name: "never before a full stop", text: "漢字漢。字", width: 6, rows: ["漢字", "漢。字"] },
  {
    name: "never between a letter and its accents",
    text: "e\u0301e\u0301e\u0301",
    width: 2,
    rows: ["e\u0301e\u0301", "e\u0301"],
  },
])("a line is broken $name", ({ text, width, rows }) => {
  expect(wrap(text, width)).toEqual(rows);
});

test("a word in two styles is not broken between them", () => {
  const bold = (text: string) => text;
  expect(textOf(wrapSpans([toSpan("see un"), toSpan("believ", bold), toSpan("able")], 12))).toEqual([
    "see",
    "unbelievable",
  ]);
});

const units = fc.oneof(
  fc.constantFrom("a", "word", " ", "  ", "漢", "。", "é", "e\u0301", "🎉", "👩‍💻", "한", "\u0e01\u0e33", "…"),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
const lines = fc.array(
  fc.array(units, { maxLength: 12 }).map((parts) => toSpan(parts.join(""))),
  { maxLength: 5 },
);

test("no row is wider than asked, and no word is lost or added", () => {
  const wordsOf = (texts: readonly string[]) => texts.join("").replaceAll(" ", "");
  fc.assert(
    fc.property(lines, fc.integer({ min: 8, max: 40 }), (line, width) => {
      const rows = wrapSpans(line, width);
      expect(rows.filter((row) => spansWidth(row) > width)).toEqual([]);
      expect(wordsOf(textOf(rows))).toBe(wordsOf(textOf([line])));
    }),
    runs(300),
  );
});

test("code is broken where a row is full, and keeps every character", () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: 8, max: 40 }), (line, width) => {
      const rows = breakSpans(line, width);
      expect(rows.filter((row) => spansWidth(row) > width)).toEqual([]);
      expect(textOf(rows).join("")).toBe(textOf([line]).join(""));
    }),
    runs(300),
  );
});
