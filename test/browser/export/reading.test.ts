import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { exportPage } from "../export-page.js";
import { useBrowser } from "../open-page.js";

const demo = { CLAUDE_CONFIG_DIR: resolve(import.meta.dirname, "..", "..", "..", "demo") };
const PEBBLE = "09fa6185";
const INTERACTIVE = join(
  CORPUS,
  "2.1.325/interactive/projects/-home-dev-tproj/611dbd00-3ef7-4482-9f54-be0d7ea83ed8.jsonl",
);

const openFile = useBrowser();
const openPebble = async (options = {}) => openFile(await exportPage(PEBBLE, demo), options);

const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");
const scrollTop = (page: Page) => page.evaluate(() => scrollY);
async function search(page: Page, words: string): Promise<void> {
  await page.keyboard.press("/");
  await page.keyboard.insertText(words); // at once: of a part of it there may be other hits
  await page.locator("#hits").filter({ hasText: /hit/ }).waitFor();
}

test("search counts the hits, also in folded places, and walks from one to the next", async () => {
  const { page, complaints } = await openPebble();
  await search(page, "UTF-8 characters");
  expect(await page.locator("#hits").textContent()).toBe("1 hit");
  expect(await page.locator(".contents .hits:not(:empty)").allTextContents()).toEqual(["1"]);
  expect(await page.locator(".call.failed").getAttribute("open")).toBeNull();
  await page.keyboard.press("Enter");
  await page.locator(".call.failed[open]").waitFor();
  expect(await page.evaluate(() => [...(CSS.highlights.get("hit-now") ?? [])].map(String))).toEqual([
    "UTF-8 characters",
  ]);
  expect(complaints).toEqual([]);
});

test("Enter leads to what was typed, however quick it comes", async () => {
  const { page } = await openPebble();
  await search(page, "lossy");
  await page.locator("#query").fill("UTF-8 characters");
  await page.keyboard.press("Enter");
  await page.locator("#hits").filter({ hasText: "1 of 1" }).waitFor();
  await page.locator(".call.failed[open]").waitFor();
});

test("n and p walk through the hits in a circle", async () => {
  const { page } = await openPebble();
  await search(page, "lossy");
  const hits = Number.parseInt((await page.locator("#hits").textContent()) ?? "", 10);
  expect(hits).toBeGreaterThan(3);
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  expect(await page.locator("#hits").textContent()).toBe(`1 of ${hits}`);
  await page.keyboard.press("n");
  expect(await page.locator("#hits").textContent()).toBe(`2 of ${hits}`);
  await page.keyboard.press("p");
  await page.keyboard.press("p");
  expect(await page.locator("#hits").textContent()).toBe(`${hits} of ${hits}`);
});

test("search finds words across the colours of code, and says when there is nothing", async () => {
  const { page } = await openPebble();
  await search(page, "pub fn print_json(out: &mut impl Write");
  expect(await page.locator("#hits").textContent()).not.toBe("no hits");
  await page.locator("#query").fill("nowhere to be found");
  await page.locator("#hits").filter({ hasText: "no hits" }).waitFor();
  expect(await page.locator("#next-hit").isDisabled()).toBe(true);
});

test("filters hide kinds of things, tools, and all that did not fail", async () => {
  const { page } = await openPebble();
  const shown = (selector: string) => page.locator(selector).filter({ visible: true }).count();
  const all = { edits: await shown("[data-tool=Edit]"), thinking: await shown(".thinking") };
  expect(all.edits).toBeGreaterThan(3);
  expect(all.thinking).toBeGreaterThan(1);
  await page.locator("#filter > summary").click();
  await page.getByLabel("Thinking").uncheck();
  await page.getByRole("checkbox", { name: /^Edit/ }).uncheck();
  expect(await shown("[data-tool=Edit]")).toBe(0);
  expect(await shown(".thinking")).toBe(0);
  await page.getByLabel("Only failures").check();
  expect(await shown(".call")).toBe(1);
  expect(await shown("main > .turn")).toBe(1);
  await page.getByText("Reset filters").click();
  await page.locator("#filter:not(.filtering)").waitFor();
  expect(await shown("[data-tool=Edit]")).toBe(all.edits);
  expect(await shown("main > .turn")).toBe(4);
});

test("a link to a call opens it and whatever it is folded into", async () => {
  const file = await exportPage(INTERACTIVE);
  const { page } = await openFile(file);
  const id = await page.locator(".run > .call.ok").first().getAttribute("id");
  const linked = await openFile(file, { hash: `#${id}` });
  const call = linked.page.locator(`[id="${id}"]`);
  expect(await call.locator("> .parts").isVisible()).toBe(true);
  expect(await call.getAttribute("open")).toBe("");
  expect(linked.complaints).toEqual([]);
});

test("a folded run shows how many calls it holds, and those that failed", async () => {
  const { page } = await openFile(await exportPage(INTERACTIVE));
  const run = page.locator(".run").first();
  expect(await run.locator("> summary").textContent()).toMatch(/^6 tool calls, 2 failed/);
  expect(await run.locator("> .call.failed").filter({ visible: true }).count()).toBe(2);
  expect(await run.locator("> .call.ok").filter({ visible: true }).count()).toBe(0);
});

test("j and k go from turn to turn, ] and [ from call to call, e to what failed", async () => {
  const { page } = await openPebble();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  expect(await focusedText(page)).toBe("2");
  expect(await scrollTop(page)).toBeGreaterThan(0);
  await page.keyboard.press("k");
  expect(await focusedText(page)).toBe("1");
  await page.keyboard.press("]");
  expect(await focusedText(page)).toMatch(/^Read.*main\.rs/);
  await page.keyboard.press("]");
  expect(await focusedText(page)).toMatch(/^Read.*Cargo\.toml/);
  await page.keyboard.press("[");
  expect(await focusedText(page)).toMatch(/^Read.*main\.rs/);
  await page.keyboard.press("e");
  expect(await focusedText(page)).toMatch(/^Bash.*exit code 101/);
});

test("o opens what has the focus, t all thinking, O everything", async () => {
  const { page } = await openPebble();
  const open = (selector: string) => page.locator(`main ${selector}[open]`).count();
  const all = await page.locator("main details").count();
  await page.keyboard.press("j");
  await page.keyboard.press("]");
  await page.keyboard.press("o");
  expect(await open("details")).toBe(1);
  await page.keyboard.press("t");
  expect(await open("details.thinking")).toBe(await page.locator("details.thinking").count());
  expect(await page.locator(".thinking > summary > .title:visible").count()).toBe(0); // what it begins with is below
  await page.keyboard.press("O");
  expect(await open("details")).toBe(all);
  await page.keyboard.press("O");
  expect(await open("details")).toBe(0);
});

test("c puts a link to this place into the address and the clipboard", async () => {
  const { page } = await openPebble({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.keyboard.press("j");
  await page.keyboard.press("]");
  await page.keyboard.press("c");
  await page.locator("#said:not(:empty)").waitFor();
  expect(page.url()).toMatch(/#call-/);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
});

test("? lists the keys, and Escape closes the list", async () => {
  const { page } = await openPebble();
  await page.keyboard.press("?");
  expect(await page.getByRole("dialog", { name: "Keyboard shortcuts" }).isVisible()).toBe(true);
  await page.keyboard.press("Escape");
  expect(await page.getByRole("dialog").count()).toBe(0);
});
