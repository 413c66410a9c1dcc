import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stumblingBlocks, useServedPage } from "../open-served.js";

const WISHLIST = "1126f362-19d7-4b7d-a116-4f3a548b2dd2";
const GROWING = join("projects", "-home-dev-src-pebble-rs", "8359096c-e1ac-4641-87c1-f47bd7293ce7.jsonl");
const DELETED = "1a0a6e10-985c-4ed5-8a3b-4c3f23f7407b";
const DELETED_FILE = join("projects", "-home-dev-code-lantern-shop", `${DELETED}.jsonl`);

const visit = useServedPage();

const WIDE = { colorScheme: "light", viewport: { width: 1500, height: 900 } } as const;
const PHONE = { colorScheme: "dark", viewport: { width: 390, height: 844 } } as const;
const COMPARE = `/compare?a=${WISHLIST}&b=${DELETED}`;
const SESSION = { path: `/s/${WISHLIST}`, shows: "I'll let an explorer collect how pages are built here." };

describe("every view works, shuts nobody out and asks nobody else", () => {
  test.each([
    { path: "/", shows: "Wishlist page", ...WIDE },
    { path: "/", shows: "Wishlist page", ...PHONE },
    { ...SESSION, ...WIDE },
    { ...SESSION, ...PHONE },
    { path: "/search?q=cart", shows: "Cart total rounded once", ...WIDE },
    { path: "/insights", shows: "Five-hour blocks", ...WIDE },
    { path: "/insights", shows: "Five-hour blocks", ...PHONE },
    { path: COMPARE, shows: "7 turns on one side only", ...WIDE },
    { path: COMPARE, shows: "7 turns on one side only", ...PHONE },
    { path: "/trash", shows: "The trash is empty", ...WIDE },
    { path: "/nowhere", shows: "Page not found", ...WIDE },
  ])("$path, $colorScheme, $viewport.width pixels wide", async ({ path, shows, ...options }) => {
    const { page, complaints } = await visit(path, options);
    await page.getByText(shows).filter({ visible: true }).first().waitFor();
    expect(await stumblingBlocks(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(options.viewport.width);
    expect(complaints).toEqual([]);
  });

  test("a session that is not there is told, and nothing else goes wrong", async () => {
    const { page, complaints } = await visit("/s/no-such-session", PHONE);
    await page.getByRole("button", { name: "Try again" }).waitFor();
    expect(await stumblingBlocks(page)).toEqual([]);
    expect([...new Set(complaints)]).toEqual([expect.stringMatching(/status of 404/)]);
    await page.getByRole("link", { name: "All sessions" }).click();
    await page.locator(".row > a").first().waitFor();
  });

  test("an address of nothing says so on a phone too", async () => {
    const { page } = await visit("/nowhere", PHONE);
    await page.getByText("Page not found").waitFor();
    expect(await page.locator(".row > a").first().isVisible()).toBe(false);
  });
});

test("the first load takes at most 250 KB; highlighting and plots come when they are needed", async () => {
  const { page } = await visit();
  await page.getByText("No session is running.").waitFor();
  const loaded = await page.evaluate(() =>
    performance.getEntriesByType("resource").map((entry) => entry.toJSON() as { name: string; transferSize: number }),
  );
  const assets = loaded.filter(({ name }) => name.includes("/assets/"));
  const names = assets.map(({ name }) => name.replace(/^.*\/([a-z-]+?)-[^/]*$/, "$1"));
  expect(names).toEqual(expect.arrayContaining(["index", "jetbrains"]));
  expect(names.filter((name) => /languages|insights|compare/.test(name))).toEqual([]);
  expect(assets.reduce((sum, { transferSize }) => sum + transferSize, 0)).toBeLessThanOrEqual(250_000);
});

test("the list is grouped, filtered by what is typed, and leads to a session and back", async () => {
  const { page } = await visit();
  await page.getByRole("button", { name: "search all sessions" }).click();
  await page.keyboard.type("wishlist");
  await page.getByRole("option", { name: /in title, project or id/ }).click();
  await page.getByText(/^1 session/).waitFor();
  await page.getByRole("button", { name: /title: wishlist/ }).waitFor();
  expect(await page.locator(".rows h2").allTextContents()).toEqual([expect.stringMatching(/^21 October/)]);
  await page
    .locator(".rows")
    .getByRole("link", { name: /Wishlist page/ })
    .click();
  await page.getByRole("heading", { name: "Wishlist page" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/s/${WISHLIST}`);
  await page.goBack();
  await page.getByText("No session is running.").waitFor();
});

test("a hit opens its session at its place, with the words marked", async () => {
  const { page } = await visit();
  await page.getByRole("button", { name: "search all sessions" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("rounded tool:Bash");
  await page.getByRole("button", { name: /tool: Bash/ }).waitFor();
  await page.locator(".box .of-turn").first().waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".turns .turn:not(.pending)").first().waitFor();
  await page.waitForFunction(() => (CSS.highlights.get("hit")?.size ?? 0) > 0);
  expect(page.url()).toMatch(/\/s\/[\w-]+\/t\/\d+\?q=/);
  expect(await page.locator("mark").count()).toBeGreaterThan(0);
  const found = page.locator(".find-bar output");
  await page.keyboard.press("n");
  await found.filter({ hasText: /^[1-9]\d* of [1-9]\d*$/ }).waitFor();
});

test("the prompt of a turn stands once above its hits", async () => {
  const { page } = await visit("/search?q=test");
  const prompts = page.locator(".groups > li", { hasText: "Since the October" }).getByText("try again");
  await prompts.first().waitFor();
  expect(await prompts.count()).toBe(1);
});

test("by keys alone the box offers what was searched before, filters, actions, and saves a search", async () => {
  const { page, complaints } = await visit();
  const box = page.getByRole("combobox", { name: "Search all sessions" });
  const chosen = page.locator(".box [aria-selected=true]");
  await page.locator(".row > a").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("group", { name: "Latest sessions" }).waitFor();
  await page.keyboard.type("wishlist");
  await page.locator(".box .of-turn mark").first().waitFor();
  await page.locator(".box-preview mark").first().waitFor();
  await page.waitForFunction(() => localStorage.getItem("turnlog-searches") !== null);
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.getByRole("button", { name: "Saved search" }).click();
  await box.fill("tool:Ba");
  await chosen.filter({ hasText: "tool:Bash" }).waitFor();
  await page.keyboard.press("Tab");
  expect(await box.inputValue()).toBe("tool:Bash ");
  await box.fill("");
  await page.getByRole("group", { name: "Saved searches" }).getByText("wishlist").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  expect(await box.inputValue()).toBe("wishlist");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/search\?q=wishlist$/);
  await page.getByRole("link", { name: "wishlist", exact: true }).and(page.locator("[aria-current]")).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("insi");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Insights" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  expect(await box.count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("where nothing is found, a search with less in it is offered", async () => {
  const { page } = await visit("/search?q=wishlist+nosuchword+tool:Bash");
  await page.getByText("No results").waitFor();
  await page.getByRole("button", { name: "Search without filters" }).click();
  await page.getByRole("button", { name: "Any of the words" }).click();
  await page.locator("a.hit").first().waitFor();
});

test("a sub-agent is read beside the session", async () => {
  const { page, complaints } = await visit(`/s/${WISHLIST}`);
  await page.locator(".call[data-tool=Agent] > summary").click();
  await page.locator(".agent > summary").click();
  await page.getByText("open in side pane").click();
  await page.locator(".beside").getByText("Find out how pages are built").waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("keys lead through a session", async () => {
  const { page } = await visit(`/s/${WISHLIST}`, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator("#turn-1").waitFor();
  await page.keyboard.press("End");
  const atTheEnd = page.locator(".outline [aria-current]").filter({ hasText: "3" });
  await atTheEnd.waitFor();
  await page.keyboard.press("Home");
  await atTheEnd.waitFor({ state: "detached" });
  await page.keyboard.press("]");
  await page.locator(".call[open] > summary:focus").waitFor();
  await page.keyboard.press("c");
  await page.getByText("Link copied").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/t\/1#call-/);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.getByRole("heading", { name: "Insights" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("wishlist");
  await page.locator(".box .of-turn").first().waitFor();
});

test("a session that is written to grows in place", async () => {
  const { page, library } = await visit("/s/8359096c-e1ac-4641-87c1-f47bd7293ce7");
  await page.locator("#turn-1").waitFor();
  const record = { type: "user", uuid: "grown-1", parentUuid: null, timestamp: new Date().toISOString() };
  const message = { role: "user", content: "One more thing, while you are here" };
  appendFileSync(join(library, GROWING), `${JSON.stringify({ ...record, message })}\n`);
  await page.locator(".outline").getByText("One more thing, while you are here").waitFor();
  expect(await page.locator("#turn-1").isVisible()).toBe(true);
});

test("a deleted session waits in the trash and is put back", async () => {
  const { page, library } = await visit(`/s/${DELETED}`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Move to trash" }).click();
  await page.getByRole("button", { name: "Restore" }).waitFor();
  expect(existsSync(join(library, DELETED_FILE))).toBe(false);
  await page.getByRole("button", { name: "Restore" }).click();
  await page.locator("#turn-1").waitFor();
  expect(existsSync(join(library, DELETED_FILE))).toBe(true);
});

test("an export says what it takes out before it is saved", async () => {
  const { page } = await visit(`/s/${WISHLIST}`);
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByText("Command", { exact: true }).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save" }).click();
  expect((await saved).suggestedFilename()).toMatch(/\.html$/);
});

test("titles, tags and favourites of one's own are kept", async () => {
  const { page } = await visit("/s/fdfef8b1-9574-4888-90ce-910dc6644336");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Title, tags, note" }).click();
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.getByLabel("Custom title").fill("My own words");
  await page.getByLabel("Tags", { exact: true }).fill("urgent");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "My own words" }).waitFor();
  await page.getByRole("button", { name: "Add to favourites" }).click();
  await page.getByRole("button", { name: "Remove from favourites" }).waitFor();
  await page.locator(".rows .favourite").waitFor();
  expect(await page.locator(".rows .tag").allTextContents()).toEqual(["urgent"]);
  await page.getByLabel("More filters").selectOption("tag:urgent");
  await page
    .locator(".total")
    .getByText(/^1 session/)
    .waitFor();
});

test("the reader's theme is remembered", async () => {
  const { page } = await visit("/", { colorScheme: "light" });
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  await page.getByRole("button", { name: "Switch theme" }).click();
  const dark = await paper();
  await page.reload();
  expect(dark).not.toBe(light);
  expect(await paper()).toBe(dark);
});
