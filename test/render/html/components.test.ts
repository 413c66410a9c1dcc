import { h } from "preact";
import { describe, expect, test } from "vitest";
import { createAnchors } from "../../../src/render/html/components/anchors.js";
import { Picture, PlainText } from "../../../src/render/html/components/prose.js";
import { toHtml } from "../../../src/render/html/export/to-html.js";
import { loadPageTools } from "./page-tools.js";

const tools = await loadPageTools();
const PNG = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1").toString("base64");

describe("anchors", () => {
  test("contain only characters that are valid in a URL", () => {
    expect(createAnchors()("call", `a"b <c>/d`)).toBe("call-a_b_c_d");
  });

  test("are different for ids that occur twice", () => {
    const anchors = createAnchors();
    expect([anchors("turn", "a"), anchors("turn", "a"), anchors("call", "a")]).toEqual([
      "turn-a",
      "turn-a.2",
      "call-a",
    ]);
  });
});

describe("a picture", () => {
  test("is embedded if its bytes match its media type", () => {
    expect(toHtml(h(Picture, { mediaType: "image/png", base64: PNG }), tools)).toContain(
      `data:image/png;base64,${PNG}`,
    );
  });

  test.each(["image/jpeg", "image/svg+xml", "text/html"])("that says it is %s and is not is named", (mediaType) => {
    expect(toHtml(h(Picture, { mediaType, base64: PNG }), tools)).toBe(
      `<p class="note">${mediaType}, 18 B: cannot be shown</p>`,
    );
  });
});

test("a long text is complete, its rest folded", () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join("\n");
  const html = toHtml(h(PlainText, { text: lines }), tools);
  expect(html).toContain("<summary>60 more lines</summary>line 41\n");
  expect(html).toContain("line 100</details>");
});
