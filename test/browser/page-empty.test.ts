import { expect, test } from "vitest";
import { useServedPage } from "./open-served.js";

const visit = useServedPage({ isEmpty: true });

test("with no sessions the page says where it looked, and a click shows demo sessions", async () => {
  const { page, complaints, library } = await visit();
  await page.getByText("No sessions yet").waitFor();
  await page.getByText(library).waitFor();
  await page.getByText("turnlog open --demo").waitFor();
  expect(complaints).toEqual([]);
  await page.getByRole("button", { name: "Look around with demo sessions" }).click();
  await page.getByRole("link", { name: /Wishlist page/ }).waitFor();
  await page.getByText("Demo: these sessions are invented.").waitFor();
  expect(page.url()).not.toContain("token");
});
