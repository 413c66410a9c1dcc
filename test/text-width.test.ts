import stringWidth from "string-width";
import { expect, test } from "vitest";
import { textWidth } from "../src/text-width.js";

test.each(["", "plain ASCII ~", "日本語", "e\u0301", "🚀 go", "\u001b[32mgreen\u001b[39m", "a\tb", "a\u0007b"])(
  "%j is as wide as string-width says",
  (text) => {
    expect(textWidth(text)).toBe(stringWidth(text));
  },
);

/** All up to the ideographs, and some of those. */
const CHARACTERS = Array.from({ length: 0xd800 - 0x20 }, (_, at) => at + 0x20)
  .filter((code) => code < 0x3200 || code % 32 === 0)
  .map((code) => String.fromCharCode(code));

test("the quick way counts each character as string-width does", () => {
  expect(CHARACTERS.filter((character) => textWidth(character) !== stringWidth(character))).toEqual([]);
});

test.each(["größer", "日本語のコメント", "привет → 한국어", "“…” – 字"])("%j is counted the quick way", (text) => {
  expect(textWidth(text)).toBe(stringWidth(text));
});
