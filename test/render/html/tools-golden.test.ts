import { readdirSync } from "node:fs";
import { join } from "node:path";
import { h } from "preact";
import { expect, test } from "vitest";
import { IconSheet } from "../../../src/render/html/components/icon.js";
import { ToolCallRow } from "../../../src/render/html/components/tool-call.js";
import { toHtml } from "../../../src/render/html/export/to-html.js";
import { viewTool } from "../../../src/render/tools/view-tool.js";
import { GOLDEN_TOOLS, goldenCalls } from "../tools/golden-calls.js";
import { goldenHead, loadPageTools } from "./page-tools.js";

const GOLDEN = join(import.meta.dirname, "..", "..", "golden", "html", "tools");
const tools = await loadPageTools();

const SHOWN_LINES = 20; // at the beginning and at the end of a long output

/** Pictures and long outputs would make golden files unreadable. */
const shorten = (html: string) =>
  html
    .replace(/(data:image\/\w+;base64,[^"]{40})[^"]+/g, "$1…")
    .replace(/(?<=<code>)[^<]+(?=<\/code>)/g, (text) => leaveOut(text.split("\n")).join("\n"));

const leaveOut = (lines: string[]) => {
  const count = Math.max(0, lines.length - 2 * SHOWN_LINES);
  const note = count > 0 ? [`(the golden file leaves out ${count} lines)`] : [];
  return [...lines.slice(0, SHOWN_LINES), ...note, ...lines.slice(SHOWN_LINES + count)];
};

test.each(GOLDEN_TOOLS)("%s is painted as the golden file shows it", async (name) => {
  const rows = goldenCalls(name).map(
    ({ call }) => `${toHtml(h(ToolCallRow, { call, view: viewTool(call), anchor: `call-${call.id}` }), tools)}\n`,
  );
  const page = goldenHead(4) + toHtml(h(IconSheet, {}), tools) + shorten(rows.join(""));
  await expect(page).toMatchFileSnapshot(join(GOLDEN, `${name}.html`));
});

test("every golden file belongs to a tool", () => {
  expect(readdirSync(GOLDEN).toSorted()).toEqual(GOLDEN_TOOLS.map((name) => `${name}.html`).toSorted());
});
