import { appendFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { changeMarks, readMarks } from "../../../src/store/user-db.js";
import { answer, continuing, prompt, writeLines } from "../../builders/session-builder.js";
import { tokenOf } from "../../cli/planted-library.js";
import { liveProcess, register } from "../../library/running/live-process.js";
import { stumblingBlocks, useServedPage } from "../open-served.js";

const REWOUND = "2d3e4f5a-6b7c-4d8e-9f0a-1b2c3d4e5f60";
const MARKED = "3e4f5a6b-7c8d-4e9f-8a1b-2c3d4e5f6071";
const GROWING = "4f5a6b7c-8d9e-4f0a-9b1c-3d4e5f607182";
const GONE = "5a6b7c8d-9e0f-4a1b-8c2d-4e5f60718293";
const OVERTAKEN = "6b7c8d9e-0f1a-4b2c-8d3e-5f6071829304";
const FOLDER = join("projects", "-home-dev-tproj");
const text = (lines: readonly string[]) => `${lines.join("\n")}\n`;

const TURNS = [1, 2, 3, 4, 5, 6].flatMap((turn) => [prompt(`ask ${turn}`), answer(`say ${turn}`)]);
const OTHERWISE = [3, 4, 5, 6].flatMap((turn) => [prompt(`ask otherwise ${turn}`), answer(`say otherwise ${turn}`)]);
const LINES = writeLines([...TURNS, ...OTHERWISE.map((draft, at) => (at === 0 ? continuing("u4", draft) : draft))]);
const GROWTH = writeLines([prompt("begin"), answer("the beginning"), prompt("go on"), answer("the end")]);

const ANSWERED = writeLines([prompt("begin"), answer("the beginning"), answer("the middle"), answer("the very end")]);

const visit = useServedPage({
  files: {
    [join(FOLDER, `${REWOUND}.jsonl`)]: text(LINES.slice(0, 12)),
    [join(FOLDER, `${MARKED}.jsonl`)]: text(GROWTH),
    [join(FOLDER, `${GONE}.jsonl`)]: text(GROWTH),
    [join(FOLDER, `${OVERTAKEN}.jsonl`)]: text(ANSWERED.slice(0, 2)),
    [join(FOLDER, `${GROWING}.jsonl`)]: text(GROWTH.slice(0, 2)),
  },
});

test("where somebody went back in a session that is read, the turns that came instead take the place of the others", async () => {
  const { page, library } = await visit(`/s/${REWOUND}`);
  await page.locator(".outline").getByText("ask 6").waitFor();
  appendFileSync(join(library, FOLDER, `${REWOUND}.jsonl`), text(LINES.slice(12)));
  await page.locator("#turn-3").getByText("say otherwise 3").waitFor();
  expect(await page.locator(".outline .label").allTextContents()).toEqual([
    "ask 1",
    "ask 2",
    ...[3, 4, 5, 6].map((turn) => `ask otherwise ${turn}`),
  ]);
});

/** As if another tab were in front. */
async function hide(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
}

/** One after the other, each before all others. */
async function openTabs(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const tab = await page.context().newPage();
    await tab.goto(new URL(path, page.url()).href, { timeout: 5000 });
    await tab.locator(".places .demo-note, .rows .row > a, .plot, .state h1").first().waitFor({ timeout: 5000 });
    await hide(tab, true);
  }
}

test("any number of tabs can be open: one that nobody looks at does not listen, and catches up when it is seen", async () => {
  const { page, library } = await visit(`/s/${GROWING}`);
  const turn = page.locator("#turn-2");
  await page.locator("#turn-1").waitFor();
  await hide(page, true);
  await openTabs(page, ["/", "/insights", "/trash", "/", "/insights", "/trash", "/"]);
  appendFileSync(join(library, FOLDER, `${GROWING}.jsonl`), text(GROWTH.slice(2)));
  await page.waitForTimeout(500);
  expect(await turn.count()).toBe(0);
  await hide(page, false);
  await turn.getByText("the end").waitFor();
});

test("a session that begins to wait appears in Now and in the title, on a phone above the list, and notifies", async () => {
  const { page, library } = await visit("/", { permissions: ["notifications"] });
  await page.getByText("No session is running.").waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.evaluate(
    "window.shown = []; window.Notification = class extends EventTarget {" +
      " static permission = 'granted'; static async requestPermission() { return 'granted'; }" +
      " constructor(title, { body }) { super(); window.shown.push(title + ': ' + body); } }",
  );
  await page.getByRole("button", { name: "Notify me" }).click();
  const pid = liveProcess();
  register(library, pid, { sessionId: GONE, status: "busy", statusUpdatedAt: Date.now() });
  const card = page.locator(".running-card");
  await card.getByText("Working").waitFor();
  register(library, pid, { sessionId: GONE, status: "waiting", waitingFor: "permission prompt" });
  await page.getByRole("heading", { name: "Waits for you 1" }).waitFor();
  await page.waitForFunction(() => document.title === "(1) Sessions · turnlog");
  expect(await page.evaluate("window.shown")).toEqual(["begin: waits for permission"]);
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("link", { name: "1 session waits for you" }).click();
  await card.getByRole("link", { name: "begin" }).click();
  await page.locator("#turn-1").waitFor();
  await page.waitForFunction(() => document.title === "(1) begin · turnlog");
});

test("a page that was refused by another start of turnlog listens and changes again once it is let in", async () => {
  const { page } = await visit(`/s/${MARKED}`);
  await page.getByRole("button", { name: "Add to favourites" }).waitFor();
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await hide(page, true);
  await hide(page, false);
  const notice = page.getByRole("alert").filter({ hasText: "turnlog is not responding" });
  await notice.waitFor();
  await page.context().addCookies(cookies);
  await notice.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Add to favourites" }).click();
  await page.getByRole("button", { name: "Remove from favourites" }).waitFor();
});

test("a change is made although turnlog was started again since the page was opened", async () => {
  const { page } = await visit("/trash");
  const ofBefore = async (route: Route) =>
    route.fulfill({ json: { ...(await (await route.fetch()).json()), changeToken: "of an earlier start" } });
  await page.route("**/api/start", ofBefore, { times: 2 }); // for the note about demo sessions, and for the change
  await page.goto(new URL(`/s/${REWOUND}`, page.url()).href);
  await page.getByRole("button", { name: "Add to favourites" }).click();
  await page.getByRole("button", { name: "Remove from favourites" }).waitFor();
});

test("a list that answers slowly is shown, however much happens meanwhile", async () => {
  const { page, library } = await visit("/trash");
  await page.route("**/api/sessions?*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1200));
    await route.continue();
  });
  const file = join(library, FOLDER, `${MARKED}.jsonl`);
  const writing = setInterval(() => appendFileSync(file, `${JSON.stringify({ type: "progress" })}\n`), 200);
  await page.getByRole("link", { name: "Sessions" }).click();
  await page
    .locator(".row > a")
    .first()
    .waitFor({ timeout: 5000 })
    .finally(() => clearInterval(writing));
  expect(await page.locator(".row > a").count()).toBeGreaterThan(1);
});

test("a note with a secret, and tags of several words, stay as they are when something else is changed", async () => {
  const { page, data } = await visit("/trash");
  const secret = `the key is ${tokenOf("prompt")}`;
  changeMarks(data, MARKED, () => ({ title: null, tags: ["needs review"], favourite: false, note: secret }));
  await page.goto(new URL(`/s/${MARKED}`, page.url()).href);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Title, tags, note" }).click();
  expect(await page.getByLabel("Note", { exact: true }).inputValue()).toContain("[REDACTED:");
  await page.getByLabel("Tags", { exact: true }).fill("needs review, api");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(readMarks(data).get(MARKED)).toMatchObject({ tags: ["api", "needs review"], note: secret });
});

test("what was deleted while nobody looked is told to whoever looks again", async () => {
  const { page, library } = await visit(`/s/${GONE}`);
  const file = join(library, FOLDER, `${GONE}.jsonl`);
  await page.locator("#turn-1").getByText("the beginning").waitFor();
  await hide(page, true);
  renameSync(file, `${file}.elsewhere`);
  await page.waitForTimeout(300);
  await hide(page, false);
  const notice = page.getByText("The file of this session was deleted or moved");
  await notice.waitFor();
  renameSync(`${file}.elsewhere`, file);
  await notice.waitFor({ state: "detached" });
});

test("an answer that was overtaken by the session is asked for again", async () => {
  const { page, library } = await visit(`/s/${OVERTAKEN}`);
  const file = join(library, FOLDER, `${OVERTAKEN}.jsonl`);
  await page.locator("#turn-1").getByText("the beginning").waitFor();
  const overtake = async (route: Route) => {
    const response = await route.fetch();
    appendFileSync(file, text(ANSWERED.slice(3)));
    await page.waitForResponse((answered) => answered.url().includes(`/api/sessions/${OVERTAKEN}?`));
    await page.waitForTimeout(200);
    await route.fulfill({ response });
  };
  await page.route("**/turns?*", overtake, { times: 1 });
  appendFileSync(file, text(ANSWERED.slice(2, 3)));
  await page.locator("#turn-1").getByText("the very end").waitFor();
});

const INDEXING = { state: "syncing", phase: "catalog", files: 7, filesDone: 3, bytes: 700, bytesDone: 300 };

test("who searches while the index is built is told so, and gets the rest once it is there", async () => {
  const { page, library } = await visit("/trash");
  const inPart = async (route: Route) => {
    const answered = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answered, groups: [], totalSessions: 0, exact: false, index: INDEXING } });
  };
  const events = (route: Route) =>
    route.fulfill({
      contentType: "text/event-stream",
      body: `event: index\ndata: ${JSON.stringify({ kind: "index", index: INDEXING })}\n\n`,
    });
  await page.route("**/api/search?*", inPart);
  await page.route("**/api/events", events, { times: 1 });
  await page.goto(new URL("/search?q=beginning", page.url()).href);
  await page.getByText("in the sessions read so far").waitFor();
  await page.getByText("reading 3 of 7 files").waitFor();
  await page.waitForTimeout(700); // the longer answer is there too
  await page.unroute("**/api/search?*");
  appendFileSync(join(library, FOLDER, `${MARKED}.jsonl`), `${JSON.stringify({ type: "progress" })}\n`);
  await page.locator("a.hit").first().waitFor();
});

test("while nothing is indexed yet, nobody is told that there are no sessions", async () => {
  const { page } = await visit("/trash");
  const nothingYet = async (route: Route) => {
    const answered = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answered, sessions: [], total: 0, found: 0, index: INDEXING } });
  };
  await page.route("**/api/sessions?*", nothingYet);
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.locator(".list-column .loading").waitFor({ state: "attached" });
  expect(await page.getByText("No sessions yet").count()).toBe(0);
});
