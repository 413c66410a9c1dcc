import { expect, test } from "vitest";
import { stumblingBlocks, useServedPage } from "../open-served.js";

const PEBBLE = "09fa6185-1780-40a3-b65b-58a2afceee1d";
const visit = useServedPage();

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
  await call.locator("summary").filter({ hasText: "Cargo.toml" }).waitFor();
  await call.getByRole("link", { name: "Show among all changes" }).click();
  await page.locator(".hunk[data-reached]").getByText("serde_json").waitFor();
  expect(complaints).toEqual([]);
});
