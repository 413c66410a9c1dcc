import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { answer, call, prompt, result, sessionText, uuidOf } from "../../builders/session-builder.js";
import { stumblingBlocks, useServedPage } from "../open-served.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "turnlog-blame-")));
const file = join(folder, "cart.ts");
const content = "export const first = 1;\nexport const second = 2;\n";
writeFileSync(file, `${content}by hand\n`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const written = { type: "create", filePath: file, content, originalFile: null, structuredPatch: [] };
const session = sessionText(
  prompt("begin the cart"),
  call("w", "Write", { file_path: file, content }),
  { ...result("w", "done"), toolUseResult: written },
  answer("done"),
);
const visit = useServedPage({ files: { [`projects/-w/${uuidOf(7)}.jsonl`]: session } });

test("a file is shown beside the prompts that wrote its lines, which lead to their turns", async () => {
  const { page, complaints } = await visit(`/s/${uuidOf(7)}?view=changes`);
  await page.getByRole("link", { name: "Lines", exact: true }).click();
  await page.getByText("2 lines by 1 turn of 1 session, 0 by 0 commits, 1 unknown").waitFor();
  const groups = page.locator(".blame-group");
  expect(await groups.locator(".code").allTextContents()).toEqual([content.trimEnd(), "by hand"]);
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.getByRole("textbox", { name: "File" }).fill("/etc/passwd");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("No recorded session changed /etc/passwd").waitFor();
  await page.goBack();
  await groups.getByRole("link", { name: "begin the cart" }).click();
  await page.locator("#turn-1").waitFor();
  expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
});
