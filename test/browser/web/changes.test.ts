import { expect, test } from "vitest";
import { answer, prompt, resultFor, toolUses, writeLines } from "../../builders/session-builder.js";
import { stumblingBlocks, useServedPage } from "../open-served.js";

const PEBBLE = "09fa6185-1780-40a3-b65b-58a2afceee1d";
const PRINTED = "6c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e50";
const OUTPUT = [
  "==== test session starts ====",
  ...Array.from({ length: 59 }, (_, at) => `line ${at}`),
  "\u001b[31mE   AssertionError: 1 != 2\u001b[0m",
].join("\n");

const visit = useServedPage({
  files: {
    [`projects/-home-dev-tproj/${PRINTED}.jsonl`]: `${writeLines([
      prompt("run the tests"),
      toolUses("t1"),
      resultFor("t1", OUTPUT),
      answer("one fails"),
    ]).join("\n")}\n`,
  },
});

test("what a session changed is read as on a pull request, and leads to the calls behind it and back", async () => {
  const { page, complaints } = await visit(`/s/${PEBBLE}`);
  await page.locator("#turn-1").waitFor();
  await page.getByRole("link", { name: "Changes", exact: true }).click();
  await page.getByText("3 files changed").waitFor();
  await page.getByRole("link", { name: "pebble-example/pebble.rs#37" }).waitFor();
  const cargo = page.locator(".changed-file").filter({ hasText: "Cargo.toml" });
  expect(await cargo.locator(".added[data-lines]").allTextContents()).toEqual([
    expect.stringContaining("+serde ="),
    expect.stringContaining("+serde_json ="),
  ]);
  await cargo.getByRole("button", { name: "Show 5 unchanged lines" }).click();
  await cargo.locator("[data-lines]").filter({ hasText: "[package]" }).waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);

  await page.getByRole("button", { name: "Side by side" }).click();
  await page.getByLabel("Wrap lines").check();
  await cargo.locator(".pairs-of-lines .added").first().waitFor();
  await page.reload();
  await cargo.locator(".pairs-of-lines .added").first().waitFor(); // the layout is remembered

  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.locator(".changed-files [aria-current]").filter({ hasText: "main.rs" }).waitFor();

  await cargo.locator(".hunk-head a").first().click();
  const call = page.locator(".call[data-reached]");
  await call
    .locator("summary")
    .filter({ hasText: /Cargo\.toml:9.*\+2/ })
    .waitFor();
  await call.getByRole("link", { name: "Show among all changes" }).click();
  await page.locator(".hunk[data-reached]").getByText("serde_json").waitFor();
  expect(complaints).toEqual([]);
});

test("output is copied with a click, shown whole with its number of lines, and keeps its colours", async () => {
  const { page } = await visit(`/s/${PRINTED}`, { permissions: ["clipboard-read", "clipboard-write"] });
  const call = page.locator("#call-t1");
  await call.locator("summary").click();
  await call.getByRole("button", { name: "Show all 61 lines" }).click();
  const box = call.locator(".code-box.whole");
  expect(await box.locator(".ansi-red").textContent()).toBe("E   AssertionError: 1 != 2");
  await call.getByRole("button", { name: "Copy", exact: true }).last().click();
  await page.getByText("copied").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^==== test session starts ====\nline 0\n/);
});
