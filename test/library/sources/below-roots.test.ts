import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { afterAll, expect, test } from "vitest";
import { hasOnlyFilesBelow } from "../../../src/library/sources/below-roots.js";
import { openDatabase } from "../../../src/store/sqlite.js";

const folder = mkdtempSync(join(tmpdir(), "turnlog-scope-"));
const db = openDatabase(join(folder, "files.db"));
db.exec("CREATE TABLE files (path TEXT NOT NULL UNIQUE)");
const inFolders = (...names: string[]) => names.map((name) => name.replaceAll("/", sep));
for (const path of inFolders("/a/x.jsonl", "/b/deep/y.jsonl")) db.prepare("INSERT INTO files VALUES (?)").run(path);

afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

test.each([
  [["/a", "/b"], true],
  [["/a/", "/b/deep/"], true],
  [["/"], true],
  [["/a"], false],
  [["/a", "/b/dee"], false],
  [["/a", "/b/deep/z"], false],
  [[], false],
])("all files are below %j: %s", (roots, expected) => {
  expect(hasOnlyFilesBelow(db, inFolders(...roots))).toBe(expected);
});
