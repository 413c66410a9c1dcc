import fc from "fast-check";
import { expect, test } from "vitest";
import { findMatches } from "../../../src/library/search/match-text.js";
import { makeSnippet } from "../../../src/library/search/snippet.js";
import { parseQuery } from "../../../src/library/text-index/parse-query.js";
import { runs } from "../../runs.js";
import { anyText } from "../text-index/any-text.js";

/** The snippet with its marks in brackets. */
function show(query: string, text: string, columns?: number): string {
  const snippet = makeSnippet(text, findMatches(parseQuery(query), text), columns ? { columns } : {});
  return snippet.marks.reduceRight(
    (shown, [start, end]) => `${shown.slice(0, start)}[${shown.slice(start, end)}]${shown.slice(end)}`,
    snippet.text,
  );
}

const PAGE = Array.from({ length: 200 }, (_, at) => `word${at}`).join(" ");

test("a short text is shown whole, on one line", () => {
  expect(show("lock", "  the\n\n\tlock\r\n is stale \n")).toBe("the [lock] is stale");
});

test("a long text is cut between words, around the match", () => {
  expect(show("word100", PAGE, 40)).toBe("…word98 word99 [word100] word101 word102…");
});

test("room that one side does not need goes to the other", () => {
  expect(show("word1", PAGE, 40)).toBe("word0 [word1] word2 word3 word4 word5…");
  expect(show("word198", PAGE, 40)).toBe("…word195 word196 word197 [word198] word199");
});

test("the place with most different terms is shown", () => {
  expect(show("word0 word150 OR word151", PAGE.replace("word3", "word0"), 40)).toBe(
    "…word149 [word150] [word151] word152…",
  );
});

test("white space around a match leaves a full line", () => {
  const text = PAGE.replaceAll(" ", "\n   ");
  expect(show("word100", text, 40)).toBe("…word98 word99 [word100] word101 word102…");
});

test("marks that overlap are one", () => {
  expect(show(`"a b" "b c"`, "x a b c y")).toBe("x [a b c] y");
});

test("a match that is longer than the line is cut", () => {
  expect(show("x*", "x".repeat(500), 20)).toBe(`[${"x".repeat(20)}]…`);
});

test("wide characters count twice, and pairs are not cut", () => {
  expect(show("字", `${"漢".repeat(50)}字${"漢".repeat(50)}`, 20)).toBe("…漢漢漢漢[字]漢漢漢漢…");
  expect(show("b", `${"😀".repeat(50)}b${"😀".repeat(50)}`, 11)).toBe("…😀😀[b]😀😀😀…");
});

test("without a match the beginning is shown", () => {
  expect(show("absent", PAGE, 20)).toBe("word0 word1 word2…");
  expect(show("absent", "")).toBe("");
});

test("a snippet keeps to its width, its marks to the snippet, and no character is broken", () => {
  const anyWord = fc.constantFrom("a", "foo", "bar", "漢", "b", "😀");
  const anyQuery = fc.array(anyWord, { minLength: 1, maxLength: 3 }).map((words) => words.join(" OR "));
  const anyLongText = fc.array(anyText, { maxLength: 20 }).map((texts) => texts.join(" ").replace(/\p{Cs}/gu, ""));
  fc.assert(
    fc.property(anyQuery, anyLongText, fc.integer({ min: 10, max: 60 }), (query, text, columns) => {
      const snippet = makeSnippet(text, findMatches(parseQuery(query), text), { columns });
      expect(snippet.text.length).toBeLessThanOrEqual(columns + 3);
      expect(snippet.text).not.toMatch(/\p{Cs}/u);
      const flat = snippet.marks.flat();
      expect(flat).toEqual([...new Set(flat)].sort((a, b) => a - b));
      expect(flat.filter((at) => at < 0 || at > snippet.text.length)).toEqual([]);
    }),
    runs(300),
  );
});
