import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dataDir, dataPaths, ensureDataDir } from "../../src/store/data-dir.js";
import { tempDir } from "./temp-dir.js";

const permissions = (path: string) => (statSync(path).mode & 0o777).toString(8);

test.each([
  ["linux", {}, "/home/ann", "/home/ann/.local/share/turnlog"],
  ["freebsd", {}, "/home/ann", "/home/ann/.local/share/turnlog"],
  ["linux", { XDG_DATA_HOME: "/data" }, "/home/ann", "/data/turnlog"],
  ["linux", { XDG_DATA_HOME: "" }, "/home/ann", "/home/ann/.local/share/turnlog"],
  ["linux", { XDG_DATA_HOME: "relative" }, "/home/ann", "/home/ann/.local/share/turnlog"],
  ["darwin", { XDG_DATA_HOME: "/data" }, "/Users/ann", "/Users/ann/Library/Application Support/turnlog"],
  ["win32", { LOCALAPPDATA: "D:\\Local" }, "C:\\Users\\ann", "D:\\Local\\turnlog"],
  ["win32", { LOCALAPPDATA: "" }, "C:\\Users\\ann", "C:\\Users\\ann\\AppData\\Local\\turnlog"],
  ["linux", { TURNLOG_DATA_DIR: "/mine", XDG_DATA_HOME: "/data" }, "/home/ann", "/mine"],
  ["win32", { TURNLOG_DATA_DIR: "E:\\mine" }, "C:\\Users\\ann", "E:\\mine"],
  ["darwin", { TURNLOG_DATA_DIR: "" }, "/Users/ann", "/Users/ann/Library/Application Support/turnlog"],
] satisfies [NodeJS.Platform, NodeJS.ProcessEnv, string, string][])(
  "on %s with %o the home %s gives %s",
  (platform, env, home, expected) => {
    expect(dataDir(env, platform, home)).toBe(expected);
  },
);

test("the data folder is created for its owner only, with parents", () => {
  const dir = join(tempDir(), "a", "turnlog");
  expect(ensureDataDir(dir)).toBe(dir);
  expect(permissions(dir)).toBe("700");
});

test("a subfolder is created when it is asked for, not before", () => {
  const dir = ensureDataDir(join(tempDir(), "turnlog"));
  expect(readdirSync(dir)).toEqual([]);
  expect(ensureDataDir(dir, "trash")).toBe(join(dir, "trash"));
  expect(permissions(join(dir, "trash"))).toBe("700");
  expect(readdirSync(dir)).toEqual(["trash"]);
});

test("without an argument the folder of TURNLOG_DATA_DIR is used", () => {
  expect(ensureDataDir()).toBe(process.env["TURNLOG_DATA_DIR"]);
  expect(existsSync(ensureDataDir())).toBe(true);
});

test("a data folder that cannot be created says what to do", () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  expect(() => ensureDataDir(join(file, "turnlog"))).toThrow(
    expect.objectContaining({
      name: "UserError",
      message: expect.stringMatching(/cannot create the data folder .*file.turnlog \(ENOTDIR\)/),
      hint: expect.stringContaining("TURNLOG_DATA_DIR"),
    }),
  );
});

test("the files of the data folder have fixed names", () => {
  expect(Object.values(dataPaths("d")).map((path) => path.slice("d/".length))).toEqual([
    "config.json",
    "index.db",
    "user.db",
    "outbox.db",
    "trace-keys.json",
    "trace-hash.key",
    "loss-checked",
  ]);
});
