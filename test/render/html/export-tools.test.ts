import { expect, test } from "vitest";
import { loadExportTools } from "../../../src/render/html/export/export-tools.js";

const CODE = "let a = 1;\n".repeat(1000).trimEnd();

test("the beginning of a long file is highlighted, and no line is lost", async () => {
  const { highlight } = await loadExportTools(null);
  const lines = highlight(CODE, "typescript") ?? [];
  expect(lines).toHaveLength(1000);
  expect(lines[0]?.[0]).toEqual({ text: "let", scope: "keyword" });
  expect(lines[999]).toEqual([{ text: "let a = 1;", scope: null }]);
});

test("one line that is longer than the limit stays plain", async () => {
  const { highlight } = await loadExportTools(null);
  expect(highlight("x ".repeat(5000), "typescript")).toBeNull();
});

test("code in an answer is highlighted to its end", async () => {
  const { markdown } = await loadExportTools(null);
  const html = markdown(`\`\`\`ts\n${CODE}\n\`\`\``);
  expect(html.match(/<span class="hl-word">let<\/span>/g)).toHaveLength(1000);
});
