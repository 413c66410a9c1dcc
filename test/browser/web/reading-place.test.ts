import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { RawAnswer } from "../../../src/server/api/session.js";
import { stumblingBlocks, useServedPage } from "../open-served.js";

const WISHLIST = "1126f362-19d7-4b7d-a116-4f3a548b2dd2";
const PEBBLE = "09fa6185-1780-40a3-b65b-58a2afceee1d";
const SESSION = `/s/${WISHLIST}`;

const visit = useServedPage();

const LIGHT = { colorScheme: "light", viewport: { width: 1500, height: 900 } } as const;
const PHONE = { colorScheme: "dark", viewport: { width: 390, height: 844 } } as const;

async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: action }).click();
}

const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.className);

interface Spot {
  readonly spot: string;
  readonly path: string;
  open(page: Page): Promise<unknown>;
}

const SPOTS: readonly Spot[] = [
  {
    spot: "the find bar",
    path: SESSION,
    async open(page) {
      await page.keyboard.press("f");
      await page.keyboard.type("suite");
      await page.keyboard.press("Enter");
      await page
        .locator(".find-bar output")
        .filter({ hasText: /hit|of/ })
        .waitFor();
    },
  },
  { spot: "a menu", path: SESSION, open: (page) => page.getByRole("button", { name: "More" }).click() },
  {
    spot: "the export dialog",
    path: SESSION,
    async open(page) {
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByText("Command", { exact: true }).waitFor();
    },
  },
  {
    spot: "the prune dialog",
    path: SESSION,
    async open(page) {
      await choose(page, "Prune …");
      await page.getByText("Command", { exact: true }).waitFor();
    },
  },
  {
    spot: "what cannot be condensed",
    path: `/s/${PEBBLE}`,
    async open(page) {
      await choose(page, "Compress …");
      await page.getByText("there is nothing to shorten").waitFor();
    },
  },
  {
    spot: "the keys",
    path: SESSION,
    async open(page) {
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    },
  },
  {
    spot: "a raw record",
    path: SESSION,
    async open(page) {
      await page.locator("#turn-1").hover();
      await page.locator("#turn-1").getByRole("button", { name: "Raw record", exact: true }).click();
      await page.locator("dialog .code-box").first().waitFor();
    },
  },
  {
    spot: "what the session changed",
    path: SESSION,
    async open(page) {
      await page.getByRole("link", { name: "Changes", exact: true }).click();
      await page.getByText("Side by side").click();
      await page.locator(".changed-file .hunk").first().waitFor();
    },
  },
  {
    spot: "what filled the context",
    path: SESSION,
    async open(page) {
      await page.getByRole("link", { name: "Timeline", exact: true }).click();
      await page.getByRole("group", { name: /^Turns over time/ }).waitFor();
      await page.getByText(/^Turn 1 /).waitFor();
    },
  },
];

describe.each([LIGHT, PHONE])("$colorScheme, $viewport.width pixels wide", (look) => {
  test.each(SPOTS)("$spot shuts nobody out and complains of nothing", async ({ path, open }) => {
    const { page, complaints } = await visit(path, look);
    await page.locator("#turn-1").waitFor();
    await open(page);
    expect(await stumblingBlocks(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("sessions that are selected shut nobody out", async () => {
    const { page } = await visit("/", look);
    await page.locator(".row > a").nth(1).waitFor();
    for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
    await page.getByRole("toolbar", { name: "Selected sessions" }).waitFor();
    expect(await stumblingBlocks(page)).toEqual([]);
  });
});

test("on a phone the menu lies within the window", async () => {
  const { page } = await visit(SESSION, PHONE);
  await page.getByRole("button", { name: "More" }).click();
  const box = await page.getByRole("group", { name: "More" }).boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.viewport.width);
});

test("at 200 % on a laptop every button of the bar can be reached", async () => {
  const { page } = await visit(SESSION, { viewport: { width: 750, height: 450 } });
  const more = page.getByRole("button", { name: "Outline" });
  await more.waitFor();
  const edges = await page
    .locator(".session-bar :is(button, select):visible")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
  expect(Math.max(...edges)).toBeLessThanOrEqual(750);
  await more.click({ trial: true });
});

test("whoever goes on to the hits stays there while more of them come", async () => {
  const { page } = await visit("/search?q=cart");
  await page.locator("a.hit").first().focus();
  await page.waitForFunction(() =>
    performance.getEntries().some(({ name }) => name.includes("/api/search?q=cart&prefix=1&limit=")),
  );
  await page.locator(".results:not(.stale)").waitFor();
  expect(await page.evaluate(() => document.activeElement?.className)).toBe("hit");
});

test.each([
  { way: "Escape", next: "Outline" },
  { way: "its button", next: "Outline" },
  { way: "a click elsewhere", next: "Turns" },
])("on a phone the outline is left by $way", async ({ way, next }) => {
  const { page } = await visit(SESSION, PHONE);
  await page.getByRole("button", { name: "Outline" }).click();
  const outline = page.getByRole("complementary", { name: "Outline" });
  await outline.locator("[aria-current]:focus").waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  const ways: Readonly<Record<string, () => Promise<void>>> = {
    Escape: () => page.keyboard.press("Escape"),
    "its button": () => outline.getByRole("button", { name: "Close outline" }).click(),
    "a click elsewhere": () => page.mouse.click(10, 500),
  };
  await ways[way]?.();
  await outline.waitFor({ state: "hidden" });
  expect(await focused(page)).toBe(next);
});

test.each([
  { dialog: "Export", opener: "Export" },
  { dialog: "Clone …", opener: "More" },
])("the focus is back where it was when $dialog is closed, by a key or a button", async ({ dialog, opener }) => {
  const { page } = await visit(SESSION);
  const open = () => (opener === dialog ? page.getByRole("button", { name: dialog }).click() : choose(page, dialog));
  await open();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await focused(page)).toBe(opener);
  await open();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await focused(page)).toBe(opener);
});

test("the focus goes along: into what was written, and to the session that is opened", async () => {
  const { page } = await visit(SESSION);
  await choose(page, "Clone …");
  await page.getByRole("button", { name: "Create session" }).click();
  await page.getByRole("button", { name: "Open", exact: true }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Open");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Wishlist page (clone)" }).first().waitFor();
  await page.waitForFunction(() => document.activeElement?.id === "reading");
  await page.locator(".rows [aria-current]").getByText("Wishlist page (clone)").waitFor();
});

test("f goes back to the bar that is open, and the focus to where it was when it is closed", async () => {
  const { page } = await visit(SESSION);
  await page.getByRole("region", { name: "Turns" }).focus();
  await page.keyboard.press("f");
  await page.keyboard.type("suite");
  await page.locator("#turn-2 .call > summary").first().focus();
  await page.keyboard.press("f");
  await page.keyboard.type("wishlist");
  expect(await page.getByLabel("Find in this session").last().inputValue()).toBe("wishlist");
  await page.keyboard.press("Escape");
  await page.locator(".find-bar").waitFor({ state: "detached" });
  expect(await focused(page)).toBe("Turns");
});

test("a link to a turn or a call leads there and marks it", async () => {
  const { page } = await visit(`${SESSION}/t/2`);
  await page.locator(".slot.reached #turn-2").waitFor();
  const link = page.locator("#turn-2").getByRole("link", { name: "Link to this call of Bash" });
  await page.locator("#turn-2 .call > summary").first().click();
  const { page: other } = await visit((await link.getAttribute("href")) ?? "");
  await other.locator("#turn-2 .call[open][data-reached]").waitFor();
  expect(await other.locator("[data-reached]").count()).toBe(1);
});

test("the records of a session end with the last one", async () => {
  const { page, complaints } = await visit(`${SESSION}/t/3`);
  await page.locator("#turn-3").hover();
  const raw = page.locator("#turn-3").getByRole("button", { name: "Raw record", exact: true });
  const next = page.getByRole("button", { name: "Next line" });
  let answer = await answerTo(page, raw);
  while (!answer.isLast) answer = await answerTo(page, next);
  await page.getByRole("dialog", { name: `Line ${answer.line}`, exact: true }).waitFor();
  await page.locator("button:disabled", { hasText: "Next line" }).waitFor();
  expect(answer.line).toBeGreaterThan(3);
  expect(complaints).toEqual([]);
});

/** The record that a click requests. */
async function answerTo(page: Page, button: Locator): Promise<RawAnswer> {
  const [response] = await Promise.all([page.waitForResponse(/\/raw\?/), button.click()]);
  return (await response.json()) as RawAnswer;
}

test.each([
  { path: "/", shows: "Wishlist page" },
  { path: "/search?q=cart", shows: "Cart total rounded once" },
  { path: SESSION, shows: "Run the end-to-end tests" },
])("$path is printed with what it lists", async ({ path, shows }) => {
  const { page } = await visit(path);
  await page.getByText(shows).filter({ visible: true }).first().waitFor();
  await page.emulateMedia({ media: "print" });
  expect(await page.getByText(shows).filter({ visible: true }).count()).toBeGreaterThan(0);
  expect(await page.getByRole("searchbox").filter({ visible: true }).count()).toBe(0);
});
