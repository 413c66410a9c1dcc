import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { answer, inSidechain, prompt, toolUses, writeLines } from "../../builders/session-builder.js";
import { stumblingBlocks, useServedPage } from "../open-served.js";

const GONE = "2d3e4f5a-6b7c-4d8e-9f0a-1b2c3d4e5f60";
const WORKING = "4f5a6b7c-8d9e-4f0a-9b2c-3d4e5f607182";
const LAUNCHING = "3e4f5a6b-7c8d-4e9f-8a1b-2c3d4e5f6071";
const FOLDER = join("projects", "-home-dev-tproj");
const text = (lines: readonly string[]) => `${lines.join("\n")}\n`;

const TIMELESS = "5a6b7c8d-9e0f-4a1b-8c3d-4e5f60718293";

const visit = useServedPage({
  files: {
    [join(FOLDER, `${TIMELESS}.jsonl`)]: "",
    [join(FOLDER, `${GONE}.jsonl`)]: text(writeLines([prompt("begin"), answer("the beginning")])),
    [join(FOLDER, `${WORKING}.jsonl`)]: text(writeLines([prompt("work"), toolUses("w1")])),
    [join(FOLDER, `${LAUNCHING}.jsonl`)]: text(writeLines([prompt("launch one"), toolUses("t1")])),
  },
});

test("a session that is deleted while it is read says so, can still be read, and comes back", async () => {
  const { page, library, complaints } = await visit(`/s/${GONE}`);
  const file = join(library, FOLDER, `${GONE}.jsonl`);
  const notice = page.getByText("The file of this session was deleted or moved");
  await page.locator("#turn-1").getByText("the beginning").waitFor();
  await page.waitForFunction(() => performance.getEntries().some(({ name }) => name.includes("/api/files")));
  renameSync(file, `${file}.elsewhere`);
  await notice.waitFor();
  expect(await page.locator("#turn-1").isVisible()).toBe(true);
  expect(await stumblingBlocks(page)).toEqual([]);
  renameSync(`${file}.elsewhere`, file);
  await notice.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("a sub-agent appears and goes on while its session waits for it", async () => {
  const { page, library } = await visit(`/s/${LAUNCHING}`);
  const folder = join(library, FOLDER, LAUNCHING, "subagents");
  const file = join(folder, "agent-a1.jsonl");
  const [begun = "", further = ""] = writeLines([
    inSidechain("a1", prompt("look")),
    inSidechain("a1", answer("found it")),
  ]);
  await page.locator("#turn-1 .call > summary").click();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(dirname(file), "agent-a1.meta.json"), JSON.stringify({ agentType: "Explore", toolUseId: "t1" }));
  writeFileSync(file, `${begun}\n`);
  await page.locator(".agent > summary").click();
  await page.locator(".agent").getByText("look").first().waitFor();
  appendFileSync(file, `${further}\n`);
  await page.locator(".agent").getByText("found it").first().waitFor();
  expect(await page.locator(".agent").count()).toBe(1);
});

test("a call is running as long as its session is and no result is there", async () => {
  const { page, library } = await visit(`/s/${WORKING}`);
  const call = page.locator("#turn-1 .call").first();
  await call.getByRole("img", { name: "no result" }).waitFor();
  appendFileSync(join(library, FOLDER, `${WORKING}.jsonl`), "\n");
  await call.getByRole("img", { name: "running" }).waitFor();
});

test("a session without a time has none in its row", async () => {
  const { page } = await visit("/");
  const row = page.locator(".row", { hasText: TIMELESS });
  await row.waitFor();
  expect(await row.locator("time").textContent()).toBe("");
});

test("a server that does not answer is told, until it does again; what is loaded stays", async () => {
  const { page } = await visit("/");
  const notice = page.getByRole("alert").filter({ hasText: "turnlog is not responding" });
  await page.route("**/api/events", (route) => route.abort());
  await page.reload();
  await notice.waitFor();
  await page.locator(".row > a").first().waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.unroute("**/api/events");
  await notice.waitFor({ state: "detached" });
});
