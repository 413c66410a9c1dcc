import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/store/sqlite.js";
import { changeMarks, readMarks, type SessionMarks } from "../../src/store/user-db.js";
import { finish, startStoreProcess } from "./store-process.js";
import { tempDir } from "./temp-dir.js";

const set = (dir: string, id: string, part: Partial<SessionMarks>) =>
  changeMarks(dir, id, (marks) => ({ ...marks, ...part }));

function inUserDb(dir: string, sql: string): void {
  const database = openDatabase(join(dir, "user.db"));
  database.exec(sql);
  database.close();
}

test("without a file there are no marks, and none is made by reading", () => {
  const dir = tempDir();
  expect(readMarks(dir)).toEqual(new Map());
  expect(existsSync(join(dir, "user.db"))).toBe(false);
});

test("what was added is read again, tags by name", () => {
  const dir = tempDir();
  set(dir, "s1", { title: "Prices 中文 👍", note: "two\nlines" });
  set(dir, "s1", { tags: ["wip", "bug"] });
  set(dir, "s2", { favourite: true });
  expect(Object.fromEntries(readMarks(dir))).toEqual({
    s1: { title: "Prices 中文 👍", note: "two\nlines", tags: ["bug", "wip"], favourite: false },
    s2: { title: null, note: null, tags: [], favourite: true },
  });
});

test("a session without marks is forgotten", () => {
  const dir = tempDir();
  set(dir, "s1", { title: "x", tags: ["a"] });
  set(dir, "s1", { title: null, tags: [] });
  expect(readMarks(dir).size).toBe(0);
});

test("a change that fails changes nothing", () => {
  const dir = tempDir();
  set(dir, "s1", { title: "before" });
  const change = () => set(dir, "s1", { title: "after", tags: ["same", "same"] });
  expect(change).toThrow(expect.objectContaining({ name: "UserError", hint: "Nothing was changed." }));
  expect(readMarks(dir).get("s1")).toMatchObject({ title: "before", tags: [] });
});

test("what a newer turnlog wrote is read but not changed", () => {
  const dir = tempDir();
  set(dir, "s1", { title: "mine" });
  inUserDb(dir, "ALTER TABLE marks ADD COLUMN colour TEXT; PRAGMA user_version = 99");
  expect(readMarks(dir).get("s1")?.title).toBe("mine");
  expect(() => set(dir, "s1", { title: "other" })).toThrow(/user\.db was written by a newer turnlog/);
  expect(readMarks(dir).get("s1")?.title).toBe("mine");
});

test("a database that was made but never filled has no marks and is completed by the first change", () => {
  const dir = tempDir();
  inUserDb(dir, "PRAGMA user_version = 0");
  expect(readMarks(dir).size).toBe(0);
  set(dir, "s1", { favourite: true });
  expect(readMarks(dir).get("s1")?.favourite).toBe(true);
});

test.each([
  { what: "reading", use: (dir: string) => void readMarks(dir) },
  { what: "changing", use: (dir: string) => void set(dir, "s1", { title: "x" }) },
])("$what a damaged file names it and leaves its bytes", ({ use }) => {
  const dir = tempDir();
  const bytes = "this is no database ".repeat(400);
  writeFileSync(join(dir, "user.db"), bytes);
  expect(() => use(dir)).toThrow(
    expect.objectContaining({
      message: `${join(dir, "user.db")} is damaged`,
      hint: expect.stringContaining("Nothing was changed"),
    }),
  );
  expect(readFileSync(join(dir, "user.db"), "utf8")).toBe(bytes);
});

test("processes that change marks at once, from the first migration on, lose none", async () => {
  const dir = tempDir();
  const script = `
    const { changeMarks } = await import(store + "/user-db.js");
    for (let n = 0; n < 20; n++)
      changeMarks(process.env.DIR, "s1", (marks) => ({ ...marks, tags: [...marks.tags, process.env.NAME + n] }));`;
  const names = ["a", "b", "c"];
  const runs = names.map((NAME) => finish(startStoreProcess(script, { DIR: dir, NAME })));
  expect((await Promise.all(runs)).map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    names.map(() => ({ code: 0, stderr: "" })),
  );
  expect(readMarks(dir).get("s1")?.tags).toHaveLength(60);
});
