import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";

test("a user whom the system does not know has the root folder and no name", async () => {
  const unknown = () => {
    throw new Error("uv_os_homedir returned ENOENT");
  };
  vi.doMock("node:os", () => ({ homedir: unknown, userInfo: unknown }));
  const { homeFolder, userName } = await import("../src/own-user.js");
  expect([homeFolder(), userName()]).toEqual([resolve("/"), ""]);
});

test("nothing else asks the system who the user is", () => {
  const src = resolve(import.meta.dirname, "..", "src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path));
  const asking = files.filter((path) => /\b(?:homedir|userInfo)\(/.test(readFileSync(join(src, path), "utf8")));
  expect(asking).toEqual(["own-user.ts"]);
});
