import fc from "fast-check";
import { expect, test } from "vitest";
import { identifierParts, splitIdentifier } from "../../../src/library/text-index/tokenize.js";
import { runs } from "../../runs.js";
import { anyText } from "./any-text.js";

test.each([
  ["camelCase", "camel Case"],
  ["PascalCaseName", "Pascal Case Name"],
  ["HTTPServer", "HTTP Server"],
  ["XMLHttpRequest", "XML Http Request"],
  ["fooBar2Baz", "foo Bar2 Baz"],
  ["base64URL", "base64 URL"],
  ["getURLsFor", "get URLs For"],
  ["iPhone2", "i Phone2"],
  ["my_camelCase.fooBar()", "camel Case \uF8FF foo Bar"],
  ["fooBar fooBar fooBar", "foo Bar"],
  ["fooBär", "foo Bär"],
])("%s has parts", (text, parts) => {
  expect(identifierParts(text)).toBe(parts);
});

test.each(["", "word", "Word", "URLs and IDs", "ALL_CAPS", "4A7B9C2D", "snake_case src/app.ts", `${"aB".repeat(33)}`])(
  "%s has none",
  (text) => {
    expect(identifierParts(text)).toBe("");
  },
);

test("the parts of a word are the word", () => {
  fc.assert(
    fc.property(anyText, (text) => splitIdentifier(text).join("") === text),
    runs(100),
  );
});
