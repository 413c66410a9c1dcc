import fc from "fast-check";
import { expect, test } from "vitest";
import { loadHighlighter } from "../../src/render/highlight.js";
import { languageOf } from "../../src/render/tools/language-of.js";
import { runs } from "../runs.js";

const highlight = await loadHighlighter();
const plain = (text: string, language: string) =>
  highlight(text, language)
    ?.map((line) => line.map((span) => span.text).join(""))
    .join("\n");

test("a comment over two lines is a comment in both", () => {
  expect(highlight("let a; /* one\ntwo */", "typescript")).toEqual([
    [
      { text: "let", scope: "keyword" },
      { text: " a; ", scope: null },
      { text: "/* one", scope: "comment" },
    ],
    [{ text: "two */", scope: "comment" }],
  ]);
});

test.each(["bash", "html", "json", "markdown", "python", "typescript", "yaml"])(
  "no character of %s is lost or added",
  (language) => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(plain(text, language)).toBe(text);
      }),
      runs(100),
    );
  },
);

test("text of an unknown language, and text that is very long, stays as it is", () => {
  expect(highlight("x", null)).toBeNull();
  expect(highlight("x", "klingon")).toBeNull();
  expect(highlight("x\n".repeat(100_000), "typescript")).toBeNull();
});

test.each(["a.tsx", "b.py", "c.html", "d.toml", "Dockerfile", "e.jsonc", "f.sh", "g.m", "h.proto", "i.vue"])(
  "files such as %s are highlighted",
  (path) => {
    expect(highlight("x = 1", languageOf(path))).not.toBeNull();
  },
);
