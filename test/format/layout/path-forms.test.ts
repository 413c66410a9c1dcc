import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  expandHome,
  fileNameOf,
  fromWslPath,
  isAbsoluteAnywhere,
  isPlainFileName,
  samePath,
  toWslPath,
} from "../../../src/format/layout/path-forms.js";
import { runs } from "../../runs.js";

describe("expandHome", () => {
  test.each([
    ["~", "/home/a", "/home/a"],
    ["~/x", "/home/a", "/home/a/x"],
    ["~/x", "/home/a/", "/home/a/x"],
    ["~/x", "/", "/x"],
    ["~\\x", "C:\\Users\\a", "C:\\Users\\a\\x"],
    ["~/x", "C:\\Users\\a\\", "C:\\Users\\a/x"],
    ["~\\x", "/home/a", "~\\x"],
    ["~bob/x", "/home/a", "~bob/x"],
    ["/tmp/~", "/home/a", "/tmp/~"],
    ["", "/home/a", ""],
  ])("%s in %s is %s", (path, home, expanded) => {
    expect(expandHome(path, home)).toBe(expanded);
  });
});

describe("isAbsoluteAnywhere", () => {
  test.each(["/", "/x", "C:\\x", "c:/x", "\\\\server\\share", "\\\\?\\C:\\x", "\\\\wsl$\\Debian\\home"])(
    "%s is absolute",
    (path) => {
      expect(isAbsoluteAnywhere(path)).toBe(true);
    },
  );

  test.each(["", "x", "./x", "..\\x", "\\x", "C:", "C:x", "~/x"])("%s is not", (path) => {
    expect(isAbsoluteAnywhere(path)).toBe(false);
  });
});

describe("fileNameOf", () => {
  test.each([
    ["/home/a/tool-results/b1.txt", "b1.txt"],
    ["C:\\Users\\a\\tool-results\\b1.txt", "b1.txt"],
    ["C:\\Users\\a/tool-results/b1.txt", "b1.txt"],
    ["\\\\wsl$\\Debian\\home\\b1.txt", "b1.txt"],
    ["\\\\?\\C:\\deep\\b1.txt", "b1.txt"],
    ["tool-results\\b1.txt", "b1.txt"],
    ["b1.txt", "b1.txt"],
    ["C:b1.txt", "b1.txt"],
    ["/a/b/", "b"],
    ["/a/odd\\name", "odd\\name"],
    ["/a/..", ".."],
    ["/", ""],
    ["C:\\", ""],
    ["", ""],
  ])("of %s is %s", (path, name) => {
    expect(fileNameOf(path)).toBe(name);
  });
});

test.each([
  ["b1.txt", true],
  ["..b", true],
  ["a b", true],
  ["", false],
  [".", false],
  ["..", false],
  ["a/b", false],
  ["a\\b", false],
  ["a\0b", false],
])("isPlainFileName(%j) is %s", (name, expected) => {
  expect(isPlainFileName(name)).toBe(expected);
});

describe("samePath", () => {
  test.each([
    ["/a/b", "/a/b/", "linux", true],
    ["/a//b/./c", "/a/b/c", "linux", true],
    ["/a/x/../b", "/a/b", "linux", true],
    ["/", "//", "linux", true],
    ["/a/B", "/a/b", "linux", false],
    ["/a/b", "/a/c", "linux", false],
    ["C:\\Users\\A", "c:/users/a/", "win32", true],
    ["\\\\?\\C:\\Users\\A", "C:\\Users\\a", "win32", true],
    ["\\\\?\\UNC\\server\\share\\x", "\\\\server\\share\\x", "win32", true],
    ["C:\\", "c:/", "win32", true],
    ["C:\\a", "D:\\a", "win32", false],
  ] as const)("%s and %s on %s: %s", (a, b, platform, expected) => {
    expect(samePath(a, b, platform)).toBe(expected);
  });
});

describe("paths of WSL", () => {
  test.each([
    ["C:\\Users\\a b", "/mnt/c/Users/a b"],
    ["d:/x/", "/mnt/d/x"],
    ["C:\\", "/mnt/c"],
    ["\\\\?\\C:\\x", "/mnt/c/x"],
    ["\\\\wsl$\\Debian\\home\\a", "/home/a"],
    ["\\\\wsl.localhost\\Debian\\home\\a", "/home/a"],
    ["\\\\wsl$\\Debian", "/"],
    ["\\\\server\\share\\x", undefined],
    ["/home/a", undefined],
    ["C:x", undefined],
  ])("%s is seen as %s", (path, seen) => {
    expect(toWslPath(path)).toBe(seen);
  });

  test.each([
    ["/mnt/c/Users/a b", "C:\\Users\\a b"],
    ["/mnt/d", "D:\\"],
    ["/mnt/d/", "D:\\"],
    ["/mnt/data/x", undefined],
    ["/home/a", undefined],
  ])("%s is %s on Windows", (path, windows) => {
    expect(fromWslPath(path)).toBe(windows);
  });

  test("a path of a drive comes back as it went", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9 ._-]{1,12}$/);
    fc.assert(
      fc.property(fc.constantFrom("C", "D", "Z"), fc.array(name, { maxLength: 5 }), (drive, names) => {
        const path = `${drive}:\\${names.join("\\")}`;
        expect(fromWslPath(toWslPath(path) ?? "")).toBe(path);
      }),
      runs(200),
    );
  });
});
