import stringWidth from "string-width";
import { expect, test } from "vitest";
import { textWidth } from "../../src/session/text-width.js";

test.each(["", "plain ASCII ~", "日本語", "e\u0301", "🚀 go", "\u001b[32mgreen\u001b[39m", "a\tb", "a\u0007b"])(
  "%j is as wide as string-width says",
  (text) => {
    expect(textWidth(text)).toBe(stringWidth(text));
  },
);
