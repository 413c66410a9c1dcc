import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { exportPage } from "../export-page.js";
import { hostileSession } from "../hostile-session.js";
import { useBrowser } from "../open-page.js";

const FILE = "5b0c7d1e-9a34-4f6b-8c2d-1e0f3a4b5c6d.jsonl";
const openFile = useBrowser();

async function openHostile(longLine = 900) {
  return openFile(await exportPage(join(temporaryFolder({ [FILE]: hostileSession(longLine) }), FILE)));
}

const openFolds = (page: Page) =>
  page.evaluate(() => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
  });
const all = (page: Page, script: string) => page.evaluate(`[...document.querySelectorAll("*")].flatMap(${script})`);

test("nothing of a hostile session runs, loads or speaks", async () => {
  const { page, complaints } = await openHostile();
  await openFolds(page);
  await page.keyboard.press("/");
  await page.keyboard.type("<script>");
  await page.locator("#hits").filter({ hasText: /hits/ }).waitFor();
  await page.keyboard.press("Enter");
  expect(await page.evaluate("window.owned")).toBeUndefined();
  expect(complaints).toEqual([]);
});

test("nothing of a hostile session becomes part of the page", async () => {
  const { page } = await openHostile();
  expect(await page.locator("script").count()).toBe(1);
  expect(await page.locator("main :is(script, style, iframe, object, embed, base, meta, form)").count()).toBe(0);
  expect(
    await all(page, "(e) => [...e.attributes].filter((a) => /^on|^style$/.test(a.name)).map((a) => a.name)"),
  ).toEqual([]);
  expect(await page.locator("main > section.turn").count()).toBe(1);
  expect(await page.locator(".call").count()).toBe(7);
  expect(await page.locator("main").getByText("The end.").count()).toBe(1);
});

test("links lead to the web, by mail, or within the page", async () => {
  const { page } = await openHostile();
  const links = (await all(page, '(e) => e.getAttribute("href") ?? []')) as string[];
  expect(links.filter((link) => !/^(https?:\/\/|mailto:|#)/.test(link))).toEqual([]);
  expect(links).toContain("https://example.com/");
  const outward = page.locator('a[href^="http"]');
  expect(await outward.count()).toBeGreaterThan(0);
  expect(await page.locator('a[href^="http"]:not([rel="noopener noreferrer"])').count()).toBe(0);
});

test("pictures that are none are named, not shown", async () => {
  const { page } = await openHostile();
  expect(await page.locator("main img").count()).toBe(0);
  expect(await page.locator("main").getByText("image/svg+xml", { exact: false }).count()).toBeGreaterThan(0);
});

test("characters that turn text around or steer a terminal are seen, not obeyed", async () => {
  const { page } = await openHostile();
  const text = (await page.locator("html").textContent()) ?? "";
  expect(text).toContain("evil");
  expect(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.exec(text)?.[0]).toBeUndefined();
});

test("a line of 10 MB is there as a whole, and folded", async () => {
  const { page } = await openHostile(10_000_000);
  const call = page.locator("#call-long");
  expect(await call.locator(".code-box").last().isVisible()).toBe(false);
  expect(await page.evaluate(() => document.querySelector("#call-long")?.textContent?.length)).toBeGreaterThan(
    10_000_000,
  );
  expect(await page.locator("#call-long b").count()).toBe(0);
});
