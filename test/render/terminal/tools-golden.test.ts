import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { paintCall } from "../../../src/render/terminal/paint-call.js";
import { createStyle } from "../../../src/render/terminal/style.js";
import { GOLDEN_TOOLS, goldenCalls } from "../tools/golden-calls.js";
import type { RecordedCall } from "../tools/recorded-calls.js";
import { showOnScreen } from "./screen.js";
import { screenOptions } from "./screen-options.js";

const GOLDEN = join(import.meta.dirname, "..", "..", "golden", "terminal", "tools");
const COLUMNS = 100;
const SHOWN_LINES = 25;
const COLOURED = ["Bash", "Edit"];

function goldenText({ file, call }: RecordedCall, style = createStyle(false)): string {
  const paint = (tools: "brief" | "full") => paintCall(call, screenOptions(COLUMNS, { style, tools }));
  const full = paint("full");
  const left = full.length > SHOWN_LINES ? [`(${full.length - SHOWN_LINES} lines more)`] : [];
  return [`${file} ${call.id}`, ...paint("brief"), "", ...full.slice(0, SHOWN_LINES), ...left, ""].join("\n");
}

test.each(GOLDEN_TOOLS)("%s is painted as the golden file does, in brief and in full", async (name) => {
  const painted = goldenCalls(name).map((recorded) => goldenText(recorded));
  await expect(painted.join("\n")).toMatchFileSnapshot(join(GOLDEN, `${name}.txt`));
});

test.each(COLOURED)("%s is coloured as the golden file does", async (name) => {
  const painted = goldenCalls(name).map((recorded) => goldenText(recorded, createStyle(true)));
  await expect(painted.join("\n")).toMatchFileSnapshot(join(GOLDEN, `${name}.ansi`));
});

test("every golden file belongs to a tool", () => {
  const expected = [...GOLDEN_TOOLS.map((name) => `${name}.txt`), ...COLOURED.map((name) => `${name}.ansi`)];
  expect(readdirSync(GOLDEN).toSorted()).toEqual(expected.toSorted());
});

test.each([20, 60, 300])("every recorded call fits a screen of %i columns", async (columns) => {
  const painted = GOLDEN_TOOLS.flatMap(goldenCalls).flatMap(({ call }) =>
    paintCall(call, screenOptions(columns, { tools: "full" })).slice(0, SHOWN_LINES),
  );
  const { lines, commands } = await showOnScreen(painted.join("\n"), columns);
  expect(lines).toEqual(painted.map((line) => line.replace(/\u001b\[\d+m/g, "").trimEnd()));
  expect(commands).toEqual([]);
});
