import { describe, expect, test } from "vitest";
import { type ConfigDirsInput, configDirs, projectFolders } from "../../../src/format/layout/config-dirs.js";

const onLinux = (input: Partial<ConfigDirsInput>) =>
  configDirs({ env: {}, platform: "linux", cwd: "/srv", home: "/home/a", exists: () => false, ...input });

const onWindows = (input: Partial<ConfigDirsInput>) =>
  configDirs({
    env: { USERPROFILE: "C:\\Users\\a" },
    platform: "win32",
    cwd: "D:\\work",
    exists: () => false,
    ...input,
  });

describe("the configuration folders", () => {
  test("of CLAUDE_CONFIG_DIR have composed accents, as Claude Code uses them", () => {
    expect(onLinux({ env: { CLAUDE_CONFIG_DIR: "/cafe\u0301" } })).toEqual(["/caf\u00e9"]);
    expect(onLinux({ explicit: "/cafe\u0301" })).toEqual(["/cafe\u0301"]);
  });

  test("are ~/.claude when nothing else is said", () => {
    expect(onLinux({})).toEqual(["/home/a/.claude"]);
  });

  test.each([
    [{}, "/home/a/.config/claude"],
    [{ XDG_CONFIG_HOME: "/xdg" }, "/xdg/claude"],
    [{ XDG_CONFIG_HOME: "" }, "/home/a/.config/claude"],
    [{ XDG_CONFIG_HOME: "relative" }, "/home/a/.config/claude"],
  ])("include the XDG folder of %j when it is there", (env, xdg) => {
    expect(onLinux({ env, exists: (path) => path === xdg })).toEqual(["/home/a/.claude", xdg]);
  });

  test("come from CLAUDE_CONFIG_DIR, which hides the default", () => {
    const env = { CLAUDE_CONFIG_DIR: "/one, ~/two ,three,,/one/" };
    expect(onLinux({ env, exists: () => true })).toEqual(["/one", "/home/a/two", "/srv/three"]);
  });

  test.each(["", " ", ","])("ignore CLAUDE_CONFIG_DIR when it is %j", (value) => {
    expect(onLinux({ env: { CLAUDE_CONFIG_DIR: value } })).toEqual(["/home/a/.claude"]);
  });

  test.each([
    ["/x,~/y", ["/x", "/home/a/y"]],
    [
      ["/x", "/y,/z"],
      ["/x", "/y", "/z"],
    ],
  ])("come from the command line first: %j", (explicit, expected) => {
    expect(onLinux({ explicit, env: { CLAUDE_CONFIG_DIR: "/env" } })).toEqual(expected);
  });

  test("fall back to the environment when the command line names none", () => {
    expect(onLinux({ explicit: [], env: { CLAUDE_CONFIG_DIR: "/env" } })).toEqual(["/env"]);
  });

  test("are found through HOME, and are none without any home", () => {
    expect(onLinux({ home: undefined, env: { HOME: "/home/b" } })).toEqual(["/home/b/.claude"]);
    expect(onLinux({ home: undefined, exists: () => true })).toEqual([]);
  });

  test("never split at a colon or semicolon", () => {
    expect(onLinux({ explicit: "/a;b:c" })).toEqual(["/a;b:c"]);
  });
});

describe("the configuration folders on Windows", () => {
  test("lie below USERPROFILE", () => {
    expect(onWindows({})).toEqual(["C:\\Users\\a\\.claude"]);
  });

  test("keep drive letters and semicolons, and know one folder in two spellings", () => {
    const explicit = "D:\\x;y,~\\.claude,c:/users/A/.claude/,rel";
    expect(onWindows({ explicit })).toEqual(["D:\\x;y", "C:\\Users\\a\\.claude", "D:\\work\\rel"]);
  });
});

describe("the folders of a project", () => {
  const foldersOf = (env: ConfigDirsInput["env"]) => projectFolders("/config", "/home/dev/shop", env);

  test("are named after the working directory", () => {
    expect(foldersOf({})).toEqual(["/config/projects/-home-dev-shop"]);
  });

  test("begin with the one that CLAUDE_CODE_PROJECT_DIR_NAME names in a folder of CLAUDE_CONFIG_DIR", () => {
    const env = { CLAUDE_CONFIG_DIR: "/config/", CLAUDE_CODE_PROJECT_DIR_NAME: "work_1" };
    expect(foldersOf(env)).toEqual(["/config/projects/work_1", "/config/projects/-home-dev-shop"]);
  });

  test.each([
    { CLAUDE_CODE_PROJECT_DIR_NAME: "work_1" },
    { CLAUDE_CODE_PROJECT_DIR_NAME: "work_1", CLAUDE_CONFIG_DIR: " " },
    { CLAUDE_CODE_PROJECT_DIR_NAME: "work_1", CLAUDE_CONFIG_DIR: "/other" },
    ...["../up", "a.b", "a/b", "", "x".repeat(65), "nul", "COM1"].map((name) => ({
      CLAUDE_CODE_PROJECT_DIR_NAME: name,
      CLAUDE_CONFIG_DIR: "/config",
    })),
  ])("are not changed by %j", (env) => {
    expect(foldersOf(env)).toEqual(["/config/projects/-home-dev-shop"]);
  });
});
