import { describe, expect, test } from "vitest";
import { rewritePaths, stillNames } from "../../../src/format/writer/rewrite-paths.js";

const MOVE = { from: "/home/dev/shop", to: "/srv/shop" };
const rewrite = (record: object) =>
  JSON.parse(rewritePaths(Buffer.from(JSON.stringify(record)), [MOVE]).toString("utf8"));

describe("paths that Claude Code reads from records", () => {
  test.each([
    [{ cwd: "/home/dev/shop" }, { cwd: "/srv/shop" }],
    [
      { type: "relocated", relocatedCwd: "/home/dev/shop/src" },
      { type: "relocated", relocatedCwd: "/srv/shop/src" },
    ],
    [{ worktreeSession: { worktreePath: "/home/dev/shop/wt" } }, { worktreeSession: { worktreePath: "/srv/shop/wt" } }],
    [
      { message: { content: [{ type: "tool_use", input: { file_path: "/home/dev/shop/a.ts" } }] } },
      { message: { content: [{ type: "tool_use", input: { file_path: "/srv/shop/a.ts" } }] } },
    ],
    [
      { snapshot: { trackedFileBackups: { "/home/dev/shop/a.ts": { realParentDir: "/home/dev/shop" } } } },
      { snapshot: { trackedFileBackups: { "/srv/shop/a.ts": { realParentDir: "/srv/shop" } } } },
    ],
    [
      { toolUseResult: { filenames: ["/home/dev/shop/a", "b"] } },
      { toolUseResult: { filenames: ["/srv/shop/a", "b"] } },
    ],
    [{ attachment: { filename: "/home/dev/shop/a" } }, { attachment: { filename: "/srv/shop/a" } }],
  ])("follow a move: %j", (before, after) => {
    expect(rewrite(before)).toEqual(after);
  });

  test.each([
    [{ cwd: "/home/dev/shop2" }],
    [{ cwd: "/home/dev" }],
    [{ message: { content: "look into /home/dev/shop/a.ts" } }],
    [{ message: { content: [{ type: "text", text: "/home/dev/shop" }] } }],
    [{ toolUseResult: { stdout: "/home/dev/shop" } }],
    [{ message: { content: [{ input: { command: "/home/dev/shop", old_string: "/home/dev/shop" } }] } }],
  ])("are not looked for in text, nor in other folders: %j", (record) => {
    expect(rewrite(record)).toEqual(record);
  });

  test("leave all other bytes as they are", () => {
    const bytes = Buffer.from('{ "n": 1.0e3,  "cwd" : "\\/home/dev/shop", "cwd":"/home/dev/shop","é":"\\u00e9"}');
    expect(rewritePaths(bytes, [MOVE]).toString("utf8")).toBe(
      '{ "n": 1.0e3,  "cwd" : "/srv/shop", "cwd":"/srv/shop","é":"\\u00e9"}',
    );
  });

  test("of Windows are escaped", () => {
    const move = { from: "C:\\work\\shop", to: "D:\\shop" };
    const bytes = Buffer.from(JSON.stringify({ cwd: "C:\\work\\shop\\src" }));
    expect(rewritePaths(bytes, [move]).toString("utf8")).toBe('{"cwd":"D:\\\\shop\\\\src"}');
  });
});

test.each([
  ["see /home/dev/shop/a", true],
  ["see /home/dev/shop.", true],
  ["see /home/dev/shop2", false],
  ["see /home/dev/shop-new/a", false],
])("the old path is still named by %j: %s", (text, isNamed) => {
  expect(stillNames(Buffer.from(text), { from: "/home/dev/shop", to: "/home/dev/shop-new" })).toBe(isNamed);
});
