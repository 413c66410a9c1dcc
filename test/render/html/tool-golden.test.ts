import { readdirSync } from "node:fs";
import { join } from "node:path";
import { h } from "preact";
import { expect, test } from "vitest";
import { IconSheet } from "../../../src/render/html/icon.js";
import { toHtml } from "../../../src/render/html/to-html.js";
import { ToolCallRow } from "../../../src/render/html/tool-call.js";
import { viewTool } from "../../../src/render/tools/view-tool.js";
import { GOLDEN_TOOLS, goldenCalls } from "../tools/golden-calls.js";
import { goldenHead, loadPageTools } from "./page-tools.js";

const GOLDEN = join(import.meta.dirname, "..", "..", "golden", "html", "tools");
const tools = await loadPageTools();

/** Base64 of pictures makes golden files unreadable, and lines without end. */
const shorten = (html: string) => html.replace(/(data:image\/\w+;base64,[^"]{40})[^"]+/g, "$1…");

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
