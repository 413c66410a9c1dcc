import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  answer,
  calledTool,
  type Draft,
  prompt,
  resultFor,
  toolUses,
  writeLines,
} from "../../builders/session-builder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { useServedPage } from "../open-served.js";

const LONG = "2d3e4f5a-6b7c-4d8e-9f0a-1b2c3d4e5f60";
const LAUNCHING = "3e4f5a6b-7c8d-4e9f-8a1b-2c3d4e5f6071";
const REWOUND = "611dbd00-3ef7-4482-9f54-be0d7ea83ed8";
const FOLDER = join("projects", "-home-dev-tproj");
const OVERLOADED = "4f5a6b7c-8d9e-4f0a-9b1c-3d4e5f607182";
const PICTURED = "5a6b7c8d-9e0f-4a1b-8c2d-4e5f60718293";
const LAPTOP = { viewport: { width: 1200, height: 900 } };
const TURNS = 300;

const text = (drafts: readonly Draft[]) => `${writeLines(drafts).join("\n")}\n`;

/** Only the first turn and the last one use another tool than the others; every fiftieth speaks of a heron. */
function longTurn(turn: number): readonly Draft[] {
  const isEnd = turn === 1 || turn === TURNS;
  const call = isEnd
    ? calledTool("Grep", { pattern: "x" }, "found", {})
    : [toolUses(`t${turn}`), resultFor(`t${turn}`)];
  return [prompt(`ask ${turn}${turn % 50 === 0 ? " about the heron" : ""}`), ...call, answer(`say ${turn}`)];
}

const SAID = [prompt("look around"), toolUses("t7"), resultFor("t7", "an egret stands there"), answer("a bittern too")];
const AGENT = writeLines(SAID).map((line) => `${line.replace("{", '{"isSidechain":true,"agentId":"a1",')}\n`);

function apiError(): Draft {
  const message = { role: "assistant", model: "<synthetic>", content: [{ type: "text", text: "API Error: 529" }] };
  return [{ type: "assistant", isApiErrorMessage: true, message }];
}

/** Much taller than wide, so that it takes much space once it is rendered. */
function pictures(count: number): Draft {
  const data = readFileSync(join("docs", "images", "page-compare.png")).toString("base64");
  const picture = { type: "image", source: { type: "base64", media_type: "image/png", data } };
  const content = [{ type: "text", text: "look" }, ...Array.from({ length: count }, () => picture)];
  return [{ type: "user", message: { role: "user", content } }];
}

/** Two projects whose folders have the same name. */
function sameFolder(owner: string, at: number): readonly [path: string, lines: string] {
  const lines = text([prompt("hello"), answer("hi")]).replaceAll(
    '"sessionId"',
    `"cwd":"/home/${owner}/heronry","sessionId"`,
  );
  return [join("projects", `-home-${owner}-heronry`, `${at}b7c8d9e-0f1a-4b2c-8d3e-5f6071829304.jsonl`), lines];
}

const visit = useServedPage({
  files: {
    [join(FOLDER, `${LONG}.jsonl`)]: text(Array.from({ length: TURNS }, (_, at) => longTurn(at + 1)).flat()),
    [join(FOLDER, `${LAUNCHING}.jsonl`)]: text([
      prompt("begin"),
      answer("begun"),
      prompt("launch one"),
      ...calledTool("Task", { prompt: "look around" }, "back", { agentId: "a1" }),
      answer("it is back"),
    ]),
    [join(FOLDER, LAUNCHING, "subagents", "agent-a1.jsonl")]: AGENT.join(""),
    ...Object.fromEntries(["one", "two"].map(sameFolder)),
    [join(FOLDER, `${PICTURED}.jsonl`)]: text([
      pictures(8),
      toolUses("t1"),
      resultFor("t1"),
      answer("on and on\n\n".repeat(60)),
    ]),
    [join(FOLDER, `${OVERLOADED}.jsonl`)]: text([prompt("begin"), answer("begun"), prompt("go on"), apiError()]),
    [join(FOLDER, `${REWOUND}.jsonl`)]: readFileSync(
      join(CORPUS, "2.1.325/interactive", FOLDER, `${REWOUND}.jsonl`),
      "utf8",
    ),
  },
});

/** Number of turns requested with their texts. */
function countAsked(page: Page): () => number {
  let asked = 0;
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith("/turns")) asked += Number(searchParams.get("to")) - Number(searchParams.get("from")) + 1;
  });
  return () => asked;
}

test("a filter asks for the turns it shows alone, and keys go from one to the next", async () => {
  const { page } = await visit(`/s/${LONG}`);
  await page.locator("#turn-1").waitFor();
  const asked = countAsked(page);
  await page.getByLabel("Filter turns").selectOption("Grep");
  await page.locator(`#turn-${TURNS} .call`).waitFor();
  expect(asked()).toBeLessThan(10);
  await page.keyboard.press("End");
  await page
    .locator(".outline [aria-current]")
    .filter({ hasText: `ask ${TURNS}` })
    .waitFor();
  await page.keyboard.press("k");
  await page.locator(".outline [aria-current]").filter({ hasText: "ask 1" }).waitFor();
});

test("who comes back from a filter is in the turn in which they were", async () => {
  const { page } = await visit(`/s/${LONG}/t/120`);
  const current = page.locator(".outline [aria-current]");
  await current.filter({ hasText: "ask 120" }).waitFor();
  await page.getByLabel("Filter turns").selectOption("Grep");
  await current.filter({ hasText: `ask ${TURNS}` }).waitFor();
  await page.getByLabel("Filter turns").selectOption("");
  await current.filter({ hasText: "ask 120" }).waitFor();
});

test("what is looked for is shown although a filter hides it", async () => {
  const { page } = await visit(`/s/${LONG}`);
  await page.getByLabel("Filter turns").selectOption("Grep");
  await page.keyboard.press("f");
  await page.keyboard.type("heron");
  await page.keyboard.press("Enter");
  await page.locator("#turn-50").getByText("ask 50 about the heron").waitFor();
  expect(await page.getByLabel("Filter turns").inputValue()).toBe("");
});

test("whoever does not wait for the answer goes to what they typed, not to what they typed before", async () => {
  const { page } = await visit(`/s/${LONG}`);
  await page.locator("#turn-1").waitFor();
  await page.keyboard.press("f");
  await page.keyboard.type("say");
  await page.locator(".find-bar output").filter({ hasText: "hits" }).waitFor();
  await page.locator(".find-bar input").fill("heron");
  await page.keyboard.press("Enter");
  await page.locator(".find-bar output").filter({ hasText: "1 of 6" }).waitFor();
  await page.locator(".outline [aria-current]").filter({ hasText: "ask 50" }).waitFor();
});

test("n goes on from the hit that the search led to", async () => {
  const { page } = await visit(`/s/${LONG}/t/100?q=heron`);
  await page.locator(".outline [aria-current]").filter({ hasText: "ask 100" }).waitFor();
  await page.keyboard.press("n");
  await page.locator(".outline [aria-current]").filter({ hasText: "ask 150" }).waitFor();
  await page.keyboard.press("N");
  await page.locator(".outline [aria-current]").filter({ hasText: "ask 100" }).waitFor();
});

test("Enter opens the first hit of what is in the box, as soon as it is found", async () => {
  const { page } = await visit("/search?q=say");
  await page.locator(".results:not(.stale) a.hit").first().waitFor();
  await page.keyboard.press("/");
  await page.locator(".box .of-turn").first().waitFor();
  await page.route("**/api/search?*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    await route.continue();
  });
  await page.locator(".box input").fill("bittern");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname.startsWith(`/s/${LAUNCHING}`));
});

test("] goes on to the next call however fast it is pressed, and c copies a link to it", async () => {
  const { page } = await visit(`/s/${LONG}`, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator("#turn-4").waitFor();
  for (const key of ["]", "]", "]"]) await page.keyboard.press(key);
  await page.locator("#call-t3 > summary:focus").waitFor();
  await page.keyboard.press("c");
  await page.getByText("Link copied").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(new RegExp(`/s/${LONG}/t/3#call-t3$`));
});

test("e goes to a turn in which the API failed, too", async () => {
  const { page } = await visit(`/s/${OVERLOADED}`);
  await page.locator("#turn-2").waitFor();
  await page.keyboard.press("e");
  await page.locator(".outline [aria-current]").filter({ hasText: "go on" }).waitFor();
});

test("an outline that lies above the turns is whole, and shows the turn that is read", async () => {
  const { page } = await visit(`/s/${LONG}/t/200`, LAPTOP);
  await page.locator("#turn-200").waitFor();
  await page.getByRole("button", { name: "Outline", exact: true }).click();
  await page.locator(".outline [aria-current]").filter({ hasText: "ask 200" }).waitFor();
  await page.setViewportSize({ width: 1200, height: 1900 });
  const { height } = (await page.locator(".outline-rows").boundingBox()) ?? { height: 0 };
  await page
    .locator(".outline-rows li")
    .nth(Math.floor(height / 28))
    .waitFor();
});

test("a hit in a sub-agent, and a link to a call of it, open the sub-agent there", async () => {
  const { page } = await visit("/search?q=egret");
  await page.locator("a.hit").first().click();
  const call = page.locator(".agent .call").filter({ hasText: "t7" });
  await call.getByText("an egret stands there").waitFor();
  const href = (await call.locator("> .parts > .call-actions > .permalink").getAttribute("href")) ?? "";
  await page.goto(new URL("/trash", page.url()).href);
  await page.goto(new URL(href, page.url()).href);
  await call.and(page.locator("[data-reached]")).getByText("an egret stands there").waitFor();
  await page.goto(new URL("/search?q=bittern", page.url()).href);
  await page.locator("a.hit").first().click();
  await page.locator(".agent").getByText("a bittern too").waitFor();
});

test("the address follows the reader away from a call and back to the beginning; insights lead back to the turn", async () => {
  const { page } = await visit(`/s/${LONG}/t/100#call-t100`);
  await page.locator("#call-t100[data-reached]").waitFor();
  await page.waitForTimeout(500);
  expect(new URL(page.url()).hash).toBe("#call-t100");
  await page.keyboard.press("j");
  await page.waitForURL(/\/t\/101$/);
  await page.getByRole("link", { name: "Timeline", exact: true }).click();
  await page
    .getByRole("region", { name: "Timeline" })
    .getByText(/^Turn 101 /)
    .waitFor();
  await page.getByRole("link", { name: "Text", exact: true }).click();
  await page.locator(".outline [aria-current]").filter({ hasText: "ask 101" }).waitFor();
  await page.locator("#turn-101").waitFor();
  await page.keyboard.press("Home");
  await page.waitForURL(/\/t\/1$/);
});

test("on a rewound branch insights, files and forks are those of the branch", async () => {
  const { page } = await visit(`/s/${REWOUND}`);
  await page.getByLabel("Branch", { exact: true }).selectOption({ index: 1 });
  await page.waitForURL(/branch=/);
  const branch = new URL(page.url()).searchParams.get("branch") ?? "";
  await page.keyboard.press("End");
  const last = page.locator(".slot .turn").last();
  await last.getByRole("button", { name: "Fork here" }).click();
  const command = await page.getByText(`turnlog fork ${REWOUND} --at`).textContent();
  expect(command).not.toMatch(/--at \d+$/);
  await page.getByRole("button", { name: "Cancel" }).click();
  const context = page.waitForRequest((request) => request.url().includes("/context?"));
  await page.getByRole("link", { name: "Timeline", exact: true }).click();
  expect((await context).url()).toContain(`branch=${branch}`);
  await page.getByRole("group", { name: /^Turns over time/ }).focus();
  await page.keyboard.press("PageUp");
  for (const key of ["ArrowRight", "Enter"]) await page.keyboard.press(key);
  await page.waitForURL((url) => url.searchParams.get("branch") === branch && url.pathname.endsWith("/t/2"));
});

test("a link to a call below pictures leads there, also once they are painted or the window gets another size", async () => {
  const { page } = await visit(`/s/${PICTURED}/t/1#call-t1`);
  const call = page.locator("#call-t1[data-reached]");
  await call.waitFor();
  await page.waitForFunction(() => [...document.images].every(({ complete, height }) => complete && height > 100));
  const top = () => call.evaluate((element) => Math.round(element.getBoundingClientRect().top));
  const { y = 0 } = (await page.locator(".turns").boundingBox()) ?? {};
  await expect.poll(top).toBe(Math.round(y) + 96);
  await page.setViewportSize({ width: 800, height: 700 });
  await expect.poll(async () => Math.min(400, Math.max(0, await top()))).toSatisfy((y: number) => y > 0 && y < 400);
});

test("two projects whose folders have the same name are two groups", async () => {
  const { page } = await visit("/?sort=project&q=heronry");
  await page.getByText(/^2 sessions/).waitFor();
  expect(await page.locator(".rows h2").allTextContents()).toEqual(["heronry", "heronry (/home/two/heronry)"]);
});
