import { expect, test } from "vitest";
import {
  paintSearchResults,
  type ShownHit,
  type ShownSession,
} from "../../../src/render/terminal/lists/search-results.js";
import { createStyle } from "../../../src/render/terminal/style.js";

const SESSION: Omit<ShownSession, "hits"> = {
  sessionId: "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d",
  project: "/home/dev/shop",
  title: "Rounding",
  totalHits: 1,
};
const HIT: ShownHit = {
  turn: 3,
  kind: "toolOutput",
  tool: "Bash",
  timestamp: null,
  snippet: "one failed test",
  marks: [[4, 10]],
  prompt: "Run the tests",
  agentId: null,
};
const paint = (found: readonly Partial<ShownHit & ShownSession>[], columns = 80, isColoured = false) =>
  paintSearchResults(
    found.map((one) => ({ ...SESSION, ...one, hits: [{ ...HIT, ...one }] })),
    { columns, style: createStyle(isColoured) },
  );

test("a hit has its session, its place with the prompt of its turn, and its words", () => {
  expect(paint([{}])).toBe(
    '5b0c7d1e  Rounding  /home/dev/shop\n  turn 3 · Bash output "Run the tests"\n    one failed test\n',
  );
});

test("a prompt is not shown twice, and what is unknown is left out", () => {
  expect(paint([{ kind: "prompt", tool: null, turn: null, project: null }])).toBe(
    "5b0c7d1e  Rounding\n  prompt\n    one failed test\n",
  );
});

test("sessions stand in their order, each with the number of hits that are not shown", () => {
  const other = { sessionId: "6c1d8e2f-9a34-4f6b-8c2d-1e0f3a4b5c6d", title: "Other", totalHits: 1201 };
  const painted = paint([{}, other]);
  expect(painted.match(/^\w{8} {2}\w+/gm)).toEqual(["5b0c7d1e  Rounding", "6c1d8e2f  Other"]);
  expect(painted.match(/and .* more hits?/g)).toEqual(["and 1,200 more hits"]);
});

test("matches are marked if there are colours", () => {
  expect(paint([{}], 80, true)).toContain("one \u001b[33m\u001b[1mfailed\u001b[22m\u001b[39m test");
});

test("a prompt that is cut leaves no colour behind", () => {
  const [, place = ""] = paint([{ prompt: "long words ".repeat(20) }], 60, true).split("\n");
  expect(place).toMatch(/\u001b\[2m"long words .*…\u001b\[22m$/);
});

test.each([60, 100])("nothing is wider than %i columns", (columns) => {
  const long = "wide 漢字 words ".repeat(30).trim();
  const painted = paint(
    [{ title: long, project: `/${"deep/".repeat(40)}`, snippet: long, prompt: long, marks: [] }],
    columns,
  );
  const widths = painted.split("\n").map((line) => line.replace(/[漢字]/g, "xx").length);
  expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
});

test("hostile text controls no terminal", () => {
  const hostile = "\u001b]0;title\u0007\u001b[2J\u009b31m\u202eabc\rx";
  const painted = paint([
    {
      sessionId: hostile,
      title: hostile,
      project: hostile,
      tool: hostile,
      snippet: hostile,
      prompt: hostile,
      marks: [[0, 4]],
    },
  ]);
  expect(painted.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
});
