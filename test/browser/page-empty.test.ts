import { expect, test } from "vitest";
import { useServedPage } from "./open-served.js";

const visit = useServedPage({ isEmpty: true });

test("with no sessions the page says where it looked, and offers the demo", async () => {
  const { page, complaints } = await visit();
  await page.getByText("No sessions yet").waitFor();
  await page.getByText("turnlog open --demo").waitFor();
  expect(complaints).toEqual([]);
});
