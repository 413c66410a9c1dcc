import { expect, test } from "vitest";
import { paintCall } from "../../../src/render/terminal/paint-call.js";
import { type CameBack, madeCall } from "../tools/made-call.js";
import { showOnScreen } from "./screen.js";
import { screenOptions } from "./screen-options.js";

const COLUMNS = 72;
const PNG = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(4000) } };
const CELLS = {
  structuredPatch: [
    {
      oldStart: 9,
      newStart: 9,
      lines: [" def main():", '-\tprint("hi")', '+\tprint("你好, this is a longer line than before")'],
    },
    { oldStart: 98, newStart: 98, lines: [" end", "+last", "\\ No newline at end of file"] },
  ],
};

async function show(name: string, input: unknown, back: CameBack) {
  const painted = paintCall(madeCall(name, input, back), screenOptions(COLUMNS, { tools: "full" }));
  const screen = await showOnScreen(painted.join("\n"), COLUMNS);
  expect(screen.commands).toEqual([]);
  return screen;
}

test("a diff has the number and the sign of each line, and their colours", async () => {
  const { lines, cellOf } = await show("Edit", { file_path: "/a.py" }, { content: "ok", data: CELLS });
  expect(lines.slice(1)).toEqual([
    "    9   def main():",
    '   10 -     print("hi")',
    '   10 +     print("你好, this is a longer line than before")',
    "  ⋯",
    "   98   end",
    "   99 + last",
    "      \\  No newline at end of file",
  ]);
  expect(cellOf("- ").colour).toBe(1);
  expect(cellOf("+ ").colour).toBe(2);
});

test("a table is as wide as the screen allows", async () => {
  const results = [
    {
      content: [
        { title: "Retry patterns for short tokens", url: "https://example.com/a/very/long/address?with=words" },
      ],
    },
  ];
  const { lines } = await show("WebSearch", { query: "retry" }, { content: "x", data: { results } });
  expect(lines.slice(1)).toEqual([
    "  title                           │ URL",
    "  ────────────────────────────────┼─────────────────────────────────────",
    "  Retry patterns for short tokens │ https://example.com/a/very/long/addr",
    "                                  │ ess?with=words",
  ]);
});

test("a picture is described by its type and size", async () => {
  const { lines } = await show("Read", { file_path: "/a.png" }, { content: [PNG] });
  expect(lines).toContain("  image: image/png, 3 KB");
});

test("JSON is indented and coloured", async () => {
  const { lines, cellOf } = await show("mcp__linear__get", { id: 7 }, { content: '{"title":"Flaky","n":1}' });
  expect(lines).toContain('  │   "title": "Flaky",');
  expect(cellOf('"Flaky"').colour).toBe(2);
});

test("to-dos have boxes", async () => {
  const todos = ["completed", "in_progress", "pending"].map((status) => ({ content: `is ${status}`, status }));
  const { lines, cellOf } = await show("TodoWrite", { todos }, { content: "ok" });
  expect(lines.slice(1)).toEqual(["  ☑ is completed", "  ◐ is in_progress", "  ☐ is pending"]);
  expect(cellOf("is in_progress").isBold).toBe(true);
});

test("source has line numbers, continuation lines have none", async () => {
  const content = `a = 1\nb = "${"x".repeat(70)}"\n`;
  const { lines } = await show("Write", { file_path: "/a.py", content }, { content: "ok", data: { type: "create" } });
  expect(lines.slice(2)).toEqual(["  1 │ a = 1", `  2 │ b = "${"x".repeat(61)}`, `    │ ${"x".repeat(9)}"`]);
});

test("a very long line is cut on a screen, and says by how much", async () => {
  const { lines } = await show("Bash", { command: "cat x" }, { content: "y".repeat(1_000_000) });
  expect(lines.at(-1)).toContain("… 990,000 more characters");
  expect(lines.length).toBeLessThan(200);
});
