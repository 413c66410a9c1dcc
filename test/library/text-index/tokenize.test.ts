import fc from "fast-check";
import { expect, test } from "vitest";
import { foldText, tokenize, tokenizeWithPlaces } from "../../../src/library/text-index/tokenize.js";
import { indexedWords } from "../../../src/library/text-index/write-docs.js";
import { runs } from "../../runs.js";
import { anyText } from "./any-text.js";
import { openFullTextTable } from "./full-text-table.js";

const tokensOf = (text: string) => tokenize(foldText(text));

test.each([
  ["Hello, World_2 src/app.ts", ["hello", "world", "2", "src", "app", "ts"]],
  ["Zürich CAFÉ cafe\u0301 İstanbul ΟΔΟΣ οδός", ["zurich", "cafe", "cafe", "istanbul", "οδοσ", "οδοσ"]],
  ["ﬁne ｶﾞﾗｽ Ｗｉｄｅ", ["fine", "ガ", "ラ", "ス", "wide"]],
  ["漢字とカナ한글", ["漢", "字", "と", "カ", "ナ", "한", "글"]],
  ["\u1112\u1161\u11AB ok", ["한", "ok"]],
  ["done✅ok 👩‍💻 👍🏽 ❤️ 🇩🇪", ["done", "✅", "ok", "👩", "💻", "👍", "❤", "🇩", "🇪"]],
  ["Straße STRASSE", ["straße", "strasse"]],
  ["हिन्दी ไทย", ["हिन्दी", "ไทย"]],
  ["a\0b — c→d “e” f\u00A0g\uD83Dh co\u00ADop", ["a", "b", "c", "d", "e", "f", "g", "h", "coop"]],
])("%j is cut into words", (text, tokens) => {
  expect(tokensOf(text)).toEqual(tokens);
});

test("ASCII passes untouched", () => {
  const text = "if (a && b) { return fooBar_baz['x']; } // \x01\x1B[31m\x7f";
  expect(foldText(text)).toBe(text);
});

test("the index holds exactly the words of the tokenizer", () => {
  const table = openFullTextTable();
  fc.assert(
    fc.property(anyText, (text) => {
      table.fill([text]);
      const words = table.words();
      expect(words).toEqual(tokenize(indexedWords(text)));
      expect(words.slice(0, tokensOf(text).length)).toEqual(tokensOf(text));
    }),
    runs(300),
  );
});

test("words beyond 32 KB are cut as the index cuts them", () => {
  const table = openFullTextTable();
  const text = `${"x".repeat(40_000)} ${"ж".repeat(16_385)} end`;
  table.fill([text]);
  expect(table.words()).toEqual(tokensOf(text));
  expect(tokensOf(text).map(({ length }) => length)).toEqual([32_768, 16_384, 3]);
});

test("words with places are the same words", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(Array.from(tokenizeWithPlaces(text), ({ token }) => token)).toEqual(tokensOf(text));
    }),
    runs(300),
  );
});

test("a place holds the word, in order and within the text", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const places = [...tokenizeWithPlaces(text)];
      expect(places.filter(({ token, start, end }) => !tokensOf(text.slice(start, end)).includes(token))).toEqual([]);
      expect(places.map(({ start }) => start)).toEqual(places.map(({ start }) => start).sort((a, b) => a - b));
    }),
    runs(300),
  );
});

test("places are those of the original text", () => {
  const text = "Ａ cafe\u0301s, 漢字「ﬁn」 ｶﾞx 👩‍💻!";
  const shown = Array.from(tokenizeWithPlaces(text), ({ token, start, end }) => [token, text.slice(start, end)]);
  expect(shown).toEqual([
    ["a", "Ａ"],
    ["cafes", "cafe\u0301s"],
    ["漢", "漢"],
    ["字", "字"],
    ["fin", "ﬁn"],
    ["ガ", "ｶﾞ"],
    ["x", "x"],
    ["👩", "👩"],
    ["💻", "💻"],
  ]);
});

test("a long text is read only as far as it is asked for", () => {
  const words = tokenizeWithPlaces("漢字".repeat(2_000_000));
  expect(words.next().value).toEqual({ token: "漢", start: 0, end: 1 });
  expect(words.next().value).toEqual({ token: "字", start: 1, end: 2 });
});
