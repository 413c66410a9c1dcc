import { expect, test } from "vitest";
import { type MovedFolder, mapPath } from "../../../src/format/layout/map-path.js";

const POSIX: readonly MovedFolder[] = [
  { from: "/home/ann", to: "/Users/bob" },
  { from: "/home/ann/shop", to: "/srv/shop" },
];
const WINDOWS = [{ from: "C:\\work\\shop", to: "D:\\shop" }];

test.each<[string, string | undefined, readonly MovedFolder[]]>([
  ["/home/ann/shop", "/srv/shop", POSIX],
  ["/home/ann/shop/src/a.ts", "/srv/shop/src/a.ts", POSIX],
  ["/home/ann/shop/", "/srv/shop/", POSIX],
  ["/home/ann/shopping", "/Users/bob/shopping", POSIX],
  ["/home/ann/.claude/plans/a.md", "/Users/bob/.claude/plans/a.md", POSIX],
  ["/home/anna", undefined, POSIX],
  ["/HOME/ann", undefined, POSIX],
  ["home/ann", undefined, POSIX],
  ["/home", undefined, POSIX],
  ["/home/ann\\x", undefined, POSIX],
  ["/home/ann/a\\b", "/Users/bob/a\\b", POSIX],
  ["c:\\WORK\\shop\\src", "D:\\shop\\src", WINDOWS],
  ["C:/work/shop/src", "D:\\shop/src", WINDOWS],
  ["C:\\work\\shop2", undefined, WINDOWS],
  ["C:\\work\\shop\\src\\a.ts", "/srv/shop/src/a.ts", [{ from: "C:\\work\\shop", to: "/srv/shop" }]],
  ["/srv/shop/src/a.ts", "C:\\shop\\src\\a.ts", [{ from: "/srv/shop", to: "C:\\shop" }]],
  ["\\\\server\\x\\a", "/mnt/x/a", [{ from: "\\\\server\\x\\", to: "/mnt/x/" }]],
  ["{project}\\src\\a.ts", "/srv/a/src/a.ts", [{ from: "{project}", to: "/srv/a", isFromWindows: true }]],
  ["C:\\a\\b", "{project}\\b", [{ from: "C:\\a", to: "{project}", isToWindows: true }]],
  ["/etc", undefined, [{ from: "/", to: "/x" }]],
  ["/a", undefined, []],
])("%s becomes %s", (path, expected, folders) => {
  expect(mapPath(path, folders)).toBe(expected);
});
