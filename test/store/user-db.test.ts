import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listenToNotices } from "../../src/store/notices.js";
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

function heardNotices(): string[] {
  const heard: string[] = [];
  onTestFinished(listenToNotices((message) => void heard.push(message)));
  return heard;
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

test.each([
  { what: "reading", use: (dir: string) => void readMarks(dir) },
  { what: "changing", use: (dir: string) => void set(dir, "s1", { favourite: true }) },
])("$what a damaged file sets it aside and restores the last change", ({ use }) => {
  const dir = tempDir();
  const notices = heardNotices();
  set(dir, "s1", { title: "first" });
  set(dir, "s1", { title: "last" });
  const bytes = "this is no database ".repeat(400);
  writeFileSync(join(dir, "user.db"), bytes);
  use(dir);
  expect(readMarks(dir).get("s1")?.title).toBe("last");
  expect(notices).toEqual([
    expect.stringMatching(
      /^user\.db was damaged \(.+\) and set aside as user\.db\.damaged-\d{17}; restored from the backup of .+ UTC$/,
    ),
  ]);
  const [aside = ""] = readdirSync(dir).filter((name) => name.includes("damaged"));
  expect(readFileSync(join(dir, aside), "utf8")).toBe(bytes);
});

test("a title with one changed byte is noticed, though SQLite finds nothing wrong", () => {
  const dir = tempDir();
  set(dir, "s1", { title: "the right words" });
  const path = join(dir, "user.db");
  const bytes = readFileSync(path);
  bytes.write("l", bytes.indexOf("the right words") + 4);
  writeFileSync(path, bytes);
  expect(readMarks(dir).get("s1")?.title).toBe("the right words");
});

test("a damaged backup is passed over", () => {
  const dir = tempDir();
  for (const title of ["one", "two", "three"]) set(dir, "s1", { title });
  for (const name of ["user.db", "backup/user.db.1"]) writeFileSync(join(dir, name), "");
  expect(readMarks(dir).get("s1")?.title).toBe("two");
});

test("without a backup, what can be read is kept", () => {
  const dir = tempDir();
  const ids = Array.from({ length: 40 }, (_, at) => `s${at + 10}`);
  for (const id of ids) set(dir, id, { title: `title of ${id}`, note: "n".repeat(400) });
  rmSync(join(dir, "backup"), { recursive: true });
  const bytes = readFileSync(join(dir, "user.db"));
  const page = Math.floor(bytes.indexOf("title of s30") / 4096) * 4096;
  bytes.fill(0xff, page, page + 4096);
  writeFileSync(join(dir, "user.db"), bytes);
  const kept = readMarks(dir);
  expect(kept.get("s10")?.title).toBe("title of s10");
  expect(kept.get("s49")?.title).toBe("title of s49");
  expect(kept.has("s30")).toBe(false);
});

test("a missing file is restored, and five backups are kept", () => {
  const dir = tempDir();
  for (let number = 1; number <= 8; number++) set(dir, "s1", { title: `title ${number}` });
  expect(readdirSync(join(dir, "backup"))).toHaveLength(5);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(dir, `user.db${suffix}`), { force: true });
  expect(readMarks(dir).get("s1")?.title).toBe("title 8");
});

test("of processes that find the same damage, one restores, and none fails", async () => {
  const dir = tempDir();
  set(dir, "s1", { title: "last" });
  writeFileSync(join(dir, "user.db"), "x".repeat(9000));
  const script = `
    const { changeMarks, readMarks } = await import(store + "/user-db.js");
    changeMarks(process.env.DIR, "s1", (marks) => ({ ...marks, tags: [...marks.tags, process.env.NAME] }));
    process.stdout.write(readMarks(process.env.DIR).get("s1").title);`;
  const names = ["a", "b", "c", "d"];
  const runs = names.map((NAME) => finish(startStoreProcess(script, { DIR: dir, NAME })));
  expect(await Promise.all(runs)).toEqual(names.map(() => ({ code: 0, signal: null, stdout: "last", stderr: "" })));
  expect(readMarks(dir).get("s1")?.tags).toEqual(names);
  expect(readdirSync(dir).filter((name) => /damaged-\d+$/.test(name))).toHaveLength(1);
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
