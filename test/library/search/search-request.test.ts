import { expect, test } from "vitest";
import { SEARCH_PLACES } from "../../../src/library/search/search-hit.js";
import {
  createMatcher,
  effectiveMode,
  kindsOf,
  type SearchRequest,
} from "../../../src/library/search/search-request.js";

const matcher = (text: string, mode: SearchRequest["mode"]) => createMatcher({ text, mode, filter: {} });

test.each([
  { mode: "regex", text: "t.st", found: ["Test", "a tost"], not: ["tt"] },
  { mode: "regex", text: "\\p{Lu}\\p{Script=Han}", found: ["x Ä支"], not: ["ä支", "p{Lu}p{Script=Han}"] },
  { mode: "regex", text: "a\\-b{", found: ["A-B{"], not: ["ab{"] },
  { mode: "regex", text: "T.st", found: ["Test"], not: ["test"] },
  { mode: "regex", text: "^\\S+$", found: ["UPPER", "a b\nc"], not: ["a b"] },
  { mode: "regex", text: "\\D{3}x", found: ["ABCX"], not: ["123x"] },
  { mode: "literal", text: "a.b(", found: ["A.B(c)", "xa.b("], not: ["aab("] },
  { mode: "literal", text: "A.b", found: ["A.b"], not: ["a.b"] },
  { mode: "literal", text: "ärger", found: ["ÄRGER"], not: ["arger"] },
  { mode: "words", text: "a.b", found: ["A.B", "a b"], not: ["ab"] },
  { mode: "words", text: "=>", found: ["x => y"], not: ["x = y"] },
  { mode: "words", text: "", found: ["anything"], not: [] },
  { mode: "words", text: "-a", found: ["b"], not: ["a b"] },
] as const)("$mode $text", async ({ mode, text, found, not }) => {
  const { matches } = await matcher(text, mode);
  expect([found.filter((candidate) => !matches(candidate)), not.filter((candidate) => matches(candidate))]).toEqual([
    [],
    [],
  ]);
});

test("a query without a word is found as it stands, one with a word is not", () => {
  expect(effectiveMode({ text: "=>", mode: "words", filter: {} })).toBe("literal");
  expect(effectiveMode({ text: "a =>", mode: "words", filter: {} })).toBe("words");
  expect(effectiveMode({ text: "=>", mode: "regex", filter: {} })).toBe("regex");
});

test("places of a pattern are bounded, and empty ones are none", async () => {
  expect((await matcher("a*", "regex")).find("baab")).toEqual([{ start: 1, end: 3 }]);
  expect((await matcher("a", "literal")).find("a".repeat(1000))).toHaveLength(64);
});

test("what is no regular expression is bad usage with a hint", async () => {
  await expect(matcher("(", "regex")).rejects.toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringMatching(/^not a regular expression: /) }),
  );
});

test("files are searched only where they are asked for", () => {
  expect(kindsOf({ text: "", mode: "words", filter: {} })).not.toContain("file");
  expect(SEARCH_PLACES["files"]).toEqual(["file"]);
});
