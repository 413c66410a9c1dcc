import { expect, test } from "vitest";
import { stumblingBlocks, useServedPage } from "../open-served.js";

const visit = useServedPage({ isEmpty: true, password: "tidewater" });

test("with no sessions the page says where it looked, and a click shows demo sessions", async () => {
  const { page, complaints, library } = await visit();
  await page.getByText("No sessions yet").waitFor();
  await page.getByText(library).waitFor();
  await page.getByText("turnlog open --demo").waitFor();
  expect(await page.getByText("No session is running.").count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.getByRole("button", { name: "Open demo sessions" }).click();
  await page
    .locator(".rows")
    .getByRole("link", { name: /Wishlist page/ })
    .waitFor();
  await page.getByText("Demo: these sessions are not real.").waitFor();
  expect(page.url()).not.toContain("token");
  await page.setViewportSize({ width: 1100, height: 750 });
  const places = page.getByRole("navigation", { name: "Main" });
  expect(await places.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  expect((await places.boundingBox())?.height).toBeLessThan(120);
});

test("without the address the password opens the page, and a wrong one is told", async () => {
  const { page } = await visit();
  await page.context().clearCookies();
  await page.goto(new URL(page.url()).origin);
  await page.getByLabel("Password").fill("floodwater");
  await page.keyboard.press("Enter");
  await page.getByText("Wrong password.").waitFor();
  expect(await stumblingBlocks(page)).toEqual([]);
  await page.getByLabel("Password").fill("tidewater");
  await page.keyboard.press("Enter");
  await page.getByText("No sessions yet").waitFor();
});
