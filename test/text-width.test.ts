import stringWidth from "string-width";
import { expect, test } from "vitest";
import { cutToColumns, textWidth } from "../src/text-width.js";

test.each(["", "plain ASCII ~", "日本語", "e\u0301", "🚀 go", "\u001b[32mgreen\u001b[39m", "a\tb", "a\u0007b"])(
  "%j is as wide as string-width says",
  (text) => {
    expect(textWidth(text)).toBe(stringWidth(text));
  },
);

/** All up to the ideographs, some of those, full-width forms and emoji. */
const CHARACTERS = Array.from({ length: 0x1fb00 - 0x20 }, (_, at) => at + 0x20)
  .filter((code) => code < 0x3200 || code >= 0x1f000 || (code >= 0xff00 && code < 0x10000) || code % 32 === 0)
  .filter((code) => code < 0xd800 || code >= 0xe000)
  .map((code) => String.fromCodePoint(code));

test("the quick way counts each character as string-width does", () => {
  expect(CHARACTERS.filter((character) => textWidth(character) !== stringWidth(character))).toEqual([]);
});

/** What signs do beside each other: emoji with a variant, a skin tone or a joiner, flags and keycaps among them. */
const SIGNS = ["a", "字", "é", "✓", "✔", "✅", "⚠", "★", "🚀", "👍", "👩", "💻", "🇩", "🇪", "1", "，", "€"];
const JOINERS = ["\u0301", "\ufe0f", "\u200d", "\u20e3", "\u{1f3fd}", ""];

test("signs beside each other are counted as string-width does", () => {
  const texts = SIGNS.flatMap((one) => JOINERS.flatMap((joiner) => SIGNS.map((other) => one + joiner + other)));
  expect(texts.filter((text) => textWidth(text) !== stringWidth(text))).toEqual([]);
});

test("a text is cut between graphemes, the quick way as any other", () => {
  const texts = SIGNS.flatMap((one) => JOINERS.map((joiner) => `${one}${joiner}`.repeat(6)));
  const cutSlowly = (text: string, columns: number) => {
    const parts = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
    const fits = (count: number) => stringWidth(parts.slice(0, count).join("")) < columns;
    const kept = parts.findLastIndex((_, at) => fits(at + 1));
    return stringWidth(text) <= columns ? text : `${parts.slice(0, kept + 1).join("")}…`;
  };
  const differing = texts.filter((text) => cutToColumns(text, 5) !== cutSlowly(text, 5));
  expect(differing).toEqual([]);
});

test.each(["größer", "日本語のコメント", "привет → 한국어", "“…” – 字", "✓ done ✗ failed", "🚀 shipped ✅", "全角！"])(
  "%j is counted the quick way",
  (text) => {
    expect(textWidth(text)).toBe(stringWidth(text));
  },
);
