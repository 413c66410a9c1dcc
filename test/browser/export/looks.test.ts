import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { exportPage } from "../export-page.js";
import { useBrowser } from "../open-page.js";

const demo = { CLAUDE_CONFIG_DIR: resolve(import.meta.dirname, "..", "..", "..", "demo") };
const INTERACTIVE = join(
  CORPUS,
  "2.1.325/interactive/projects/-home-dev-tproj/611dbd00-3ef7-4482-9f54-be0d7ea83ed8.jsonl",
);
const PHONE = { viewport: { width: 390, height: 844 } };

const openFile = useBrowser();
const paper = (page: Page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

/** axe runs outside the content security policy of the page. */
async function stumblingBlocks(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate("axe.run()")) as { violations: { id: string; impact: string }[] };
  return found.violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id);
}

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  test.each([
    { name: "a session with sub-agents", session: "1126f362", options: {} },
    { name: "a rewound and interrupted session", session: INTERACTIVE, options: {} },
    { name: "a demo session on a phone", session: "1a0a6e10", options: PHONE },
  ])("nobody is shut out of $name", async ({ session, options }) => {
    const { page, complaints } = await openFile(await exportPage(session, demo), { colorScheme, ...options });
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll<HTMLDetailsElement>("main details")) fold.open = true;
    });
    expect(await stumblingBlocks(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

test("the page follows the system's theme until the reader chooses", async () => {
  const { page } = await openFile(await exportPage("09fa6185", demo), { colorScheme: "dark" });
  const dark = await paper(page);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await paper(page);
  expect(light).not.toBe(dark);
  await page.getByRole("button", { name: "Switch theme" }).click();
  expect(await paper(page)).toBe(dark);
  await page.reload();
  expect(await paper(page)).toBe(dark);
});

test("on a phone nothing is cut off, and the contents open over the page", async () => {
  const { page } = await openFile(await exportPage("1126f362", demo), PHONE);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  const contents = page.getByRole("navigation", { name: "Contents" });
  expect(await contents.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Contents" }).click();
  expect(await contents.isVisible()).toBe(true);
  await contents.getByRole("link").nth(1).click();
  expect(await contents.isVisible()).toBe(false);
  expect(page.url()).toMatch(/#turn-/);
});

test("sub-agents stand folded under the call that launched them", async () => {
  const { page } = await openFile(await exportPage("1126f362", demo));
  const call = page.locator(".call[data-tool=Agent]");
  await call.locator("> summary").click();
  const agent = call.locator(".agent");
  expect(await agent.locator("> summary").textContent()).toContain("Explore: How pages are built");
  expect(await agent.locator(".turn .call").first().isVisible()).toBe(false);
  await agent.locator("> summary").click();
  expect(await agent.locator(".turn .call").first().isVisible()).toBe(true);
});

test("without scripts the page can be read, opened and followed", async () => {
  const { page } = await openFile(await exportPage("09fa6185", demo), { javaScriptEnabled: false });
  expect(await page.locator(".toolbar").isVisible()).toBe(false);
  await page.locator(".call.failed > summary").click();
  expect(await page.locator(".call.failed .code-box").first().isVisible()).toBe(true);
  await page.locator(".contents a").last().click();
  expect(page.url()).toMatch(/#turn-/);
});

test("on paper there is the session, and no controls", async () => {
  const { page } = await openFile(await exportPage("09fa6185", demo));
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  expect(await page.locator(".toolbar").isVisible()).toBe(false);
  expect(await page.locator("nav").isVisible()).toBe(false);
  expect(await page.locator(".prompt").first().isVisible()).toBe(true);
  expect(await page.locator("h1").isVisible()).toBe(true);
});

test("a page of 20 MB can be searched without standing still", async () => {
  const file = join(temporaryFolder(), "large.html");
  writeFileSync(file, enlarge(readFileSync(await exportPage("09fa6185", demo), "utf8")));
  const { page } = await openFile(file);
  await page.keyboard.press("/");
  await page.keyboard.type("needle in the hay");
  await page.locator("#hits").filter({ hasText: "1 hit" }).waitFor();
  await page.keyboard.press("Enter");
  await page
    .locator("#hits")
    .filter({ hasText: /^1 of 1$/ })
    .waitFor();
  expect(await page.locator("#hits").textContent()).toBe("1 of 1");
});

/** Turns of hay, and a needle at the end. */
function enlarge(page: string): string {
  const line = `<span class="hl-word">const</span> hay = ${"dry ".repeat(30)};\n`;
  const box = `<details class="call"><summary>hay</summary><pre><code>${line.repeat(100)}</code></pre></details>`;
  const turn = `<section class="turn">${box.repeat(10)}</section>`;
  return page.replace("</main>", `${turn.repeat(125)}<section class="turn">A needle in the hay.</section></main>`);
}
