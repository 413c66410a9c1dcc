import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../src/store/make-folder.js";
import { temporaryFolder } from "../format/temporary-folder.js";

test("folders are made all the way down, with their mode, and may be there already", () => {
  const path = join(temporaryFolder(), "a", "b", "c");
  makeFolder(path);
  makeFolder(path);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  expect(statSync(path).isDirectory()).toBe(true);
});

test("a file in the way is an error", () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  expect(() => makeFolder(file)).toThrow("EEXIST");
  expect(() => makeFolder(join(file, "below"))).toThrow("ENOTDIR");
});

test("a file system that takes no folders is an error, not a wait for ever", () => {
  expect(() => makeFolder("/proc/nowhere/at/all")).toThrow(/ENOENT|EACCES|EROFS|EPERM/);
});
