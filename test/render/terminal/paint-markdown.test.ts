import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { paintMarkdown } from "../../../src/render/terminal/paint-markdown.js";
import { createStyle } from "../../../src/render/terminal/style.js";
import { textWidth } from "../../../src/text-width.js";
import { runs } from "../../runs.js";
import { showOnScreen } from "./screen.js";
import { screenOptions } from "./screen-options.js";

const MARKDOWN = `# Upload *retries*

Two **causes**, one \`token\`, ~~no~~ [docs](https://example.com/a%20b) and <https://example.com/plain>.

1. first, with a sentence that is long enough to be wrapped on a narrow screen
2. second
   - [x] done
   - [ ] open 漢字と日本語の長い文章がここにあります

> quoted
> > twice

\`\`\`ts
const answer: string = "42"; // so they say
\`\`\`

| case | time | note |
|:-----|-----:|------|
| fast | 1.2 s | nothing |
| 断线 | fails | gives up after three tries, and tells the person who waits |
`;

const paint = (text: string, columns: number) => paintMarkdown(text, screenOptions(columns)).join("\n");
const shown = (text: string, columns: number) => showOnScreen(paint(text, columns), columns);

test.each([20, 60, 100])("a screen of %i columns shows each line as it was painted", async (columns) => {
  const { lines, commands } = await shown(MARKDOWN, columns);
  const painted = paint(MARKDOWN, columns)
    .replace(/\u001b\[\d+m/g, "")
    .split("\n");
  expect(lines).toEqual(painted.map((line) => line.trimEnd()));
  expect(commands).toEqual([]);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`../../golden/terminal/markdown-${columns}.txt`);
});

test("words, code and links have their styles", async () => {
  const { cellOf } = await shown(MARKDOWN, 100);
  expect(cellOf("Upload")).toMatchObject({ isBold: true, isUnderlined: true, colour: 6 });
  expect(cellOf("retries")).toMatchObject({ isBold: true, isItalic: true });
  expect(cellOf("causes")).toMatchObject({ isBold: true, colour: -1 });
  expect(cellOf("token")).toMatchObject({ colour: 6 });
  expect(cellOf("docs")).toMatchObject({ isUnderlined: true });
  expect(cellOf("quoted")).toMatchObject({ isItalic: true });
  expect(cellOf("const")).toMatchObject({ colour: 5 });
  expect(cellOf('"42"')).toMatchObject({ colour: 2 });
  expect(cellOf("// so")).toMatchObject({ isDim: true });
});

test("a link shows its address unless its text is the address", async () => {
  const { lines } = await shown("[docs](https://example.com/x) https://example.com/y <mailto:a@example.com>", 100);
  expect(lines).toEqual(["docs (https://example.com/x) https://example.com/y mailto:a@example.com"]);
});

test("without colours the signs of Markdown stay", () => {
  const options = screenOptions(80, { style: createStyle(false), highlight: null });
  expect(paintMarkdown("## Head\n\n**bold** *em* `code`", options)).toEqual(["## Head", "", "**bold** *em* `code`"]);
});

test("a pipe gets Markdown as it was written", () => {
  const options = screenOptions(Number.POSITIVE_INFINITY, { style: createStyle(false), isPlain: true });
  expect(paintMarkdown(MARKDOWN, options).join("\n")).toBe(MARKDOWN.trimEnd());
});

describe("harmless", () => {
  test("are characters that only appear when Markdown is read", async () => {
    const { lines, commands } = await shown("&#27;]0;owned&#7; &#x202e;evil [a](https://x.example/%E2%80%AE%1b)", 100);
    expect(lines.join("\n")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(commands).toEqual([]);
  });

  test.each([30, 90])("are lists that are nested %i times", (levels) => {
    const lines = paintMarkdown(`${"> ".repeat(40)}deep\n\n${"- ".repeat(levels)}deeper`, screenOptions(20));
    const widest = Math.max(...lines.map((line) => textWidth(line.replace(/\u001b\[\d+m/g, ""))));
    expect(widest).toBeLessThanOrEqual(20);
    expect(lines.join("\n")).toContain("deeper");
  });
});

test("nothing is wider than the screen, whatever was written", () => {
  const words = fc.constantFrom(
    "# ",
    "- ",
    "1. ",
    "> ",
    "\n",
    "\n\n",
    "|a|b|\n|-|-|\n|",
    "```\n",
    "**",
    "`",
    "[x](https://y.example)",
    "漢字",
    "word ",
    "\t",
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 30 }), fc.integer({ min: 20, max: 120 }), (parts, columns) => {
      const lines = paintMarkdown(parts.join(""), screenOptions(columns)).map((line) =>
        line.replace(/\u001b\[\d+m/g, ""),
      );
      expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
    }),
    runs(200),
  );
});
