import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readConfig } from "../../src/store/config.js";
import { tempDir } from "./temp-dir.js";

vi.mock("zod", () => {
  throw new Error("zod was loaded");
});

test("zod is loaded only when there is a config to check", async () => {
  const dir = tempDir();
  expect(await readConfig(dir)).toEqual({});
  writeFileSync(join(dir, "config.json"), "{}");
  await expect(readConfig(dir)).rejects.toThrow();
});
