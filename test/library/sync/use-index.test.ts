import { existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { INDEX_VERSION } from "../../../src/library/catalog/schema.js";
import { searchLibrary } from "../../../src/library/search/run-search.js";
import { useIndex } from "../../../src/library/sync/use-index.js";
import { tryLock } from "../../../src/store/lock.js";
import { listenToNotices } from "../../../src/store/notices.js";
import { type Database, openDatabase } from "../../../src/store/sqlite.js";
import { answer, prompt, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";

/** What every connection is told before it is used. */
const connecting = vi.hoisted(() => ({ sql: "" }));
vi.mock("../../../src/store/sqlite.js", async (importOriginal) => {
  const original = await importOriginal<typeof import("../../../src/store/sqlite.js")>();
  return {
    ...original,
    openDatabase: (...args: Parameters<typeof openDatabase>): Database => {
      const database = original.openDatabase(...args);
      if (connecting.sql !== "") database.exec(connecting.sql);
      return database;
    },
  };
});

const ID = "00000001-0000-4000-8000-000000000000";
const SESSION = `projects/-p0/${ID}.jsonl`;
const linesOf = (...texts: readonly string[]) => `${writeLines(texts.map((text) => prompt(text))).join("\n")}\n`;
const request = { text: "needle", mode: "words" as const, filter: {} };

/** What a search says and finds, and whether the index was there to be asked. */
async function search(dataFolder: string, root: string, options: { acceptsPartial?: boolean } = {}) {
  const notes: string[] = [];
  onTestFinished(listenToNotices((note) => void notes.push(note)));
  const found = await useIndex(
    dataFolder,
    [root],
    { onNote: (note) => notes.push(note), ...options },
    async (index) => ({
      hasIndex: index !== undefined,
      lines: (await searchLibrary(index, [root], request)).hits.map(({ line }) => line),
    }),
  );
  return { ...found, notes };
}

const library = (text = linesOf("hay", "a needle")) => temporaryFolder({ [SESSION]: text });
const indexOf = (dataFolder: string) => join(dataFolder, "index.db");

beforeEach(() => {
  connecting.sql = "";
});

test("a library is searched through the index, of which nothing is said", async () => {
  expect(await search(temporaryFolder(), library())).toEqual({ hasIndex: true, lines: [2], notes: [] });
});

test("an index of a newer turnlog is left as it is, and the sessions are read", async () => {
  const dataFolder = temporaryFolder();
  const database = openDatabase(indexOf(dataFolder));
  database.exec(`CREATE TABLE later (a); PRAGMA user_version = ${INDEX_VERSION + 1}`);
  database.close();
  const before = readFileSync(indexOf(dataFolder));
  const { notes, ...found } = await search(dataFolder, library());
  expect(found).toEqual({ hasIndex: false, lines: [2] });
  expect(notes).toEqual([expect.stringMatching(/written by a newer turnlog; reading the session files instead$/)]);
  expect(readFileSync(indexOf(dataFolder))).toEqual(before);
});

test("an index of an older turnlog is built again, and nothing is said", async () => {
  const dataFolder = temporaryFolder();
  const root = library();
  await search(dataFolder, root);
  const database = openDatabase(indexOf(dataFolder));
  database.exec("DROP TABLE docs; PRAGMA user_version = 1");
  database.close();
  expect(await search(dataFolder, root)).toEqual({ hasIndex: true, lines: [2], notes: [] });
});

const DAMAGED = expect.stringMatching(
  /^index\.db was damaged \(.+\) and set aside as index\.db\.damaged-\d+; it is built again$/,
);

test("a file that is no database is replaced, and it is said", async () => {
  const dataFolder = temporaryFolder({ "index.db": "this is no database ".repeat(1000) });
  const root = library();
  expect(await search(dataFolder, root)).toEqual({ hasIndex: true, lines: [2], notes: [DAMAGED] });
  expect((await search(dataFolder, root)).notes).toEqual([]);
});

test("damage that only a query meets leads to a new index too", async () => {
  const dataFolder = temporaryFolder();
  const root = library(
    linesOf(...Array.from({ length: 2000 }, (_, at) => `a needle${at} in hay stack ${at * 7}`), "needle"),
  );
  await search(dataFolder, root);
  const compact = openDatabase(indexOf(dataFolder));
  compact.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const { rootpage } = compact
    .prepare<{ rootpage: number }>("SELECT rootpage FROM sqlite_master WHERE name = 'texts_data'")
    .get() ?? { rootpage: 0 };
  compact.close();
  const file = openSync(indexOf(dataFolder), "r+");
  for (let page = rootpage; page < statSync(indexOf(dataFolder)).size / 4096; page++) {
    writeSync(file, Buffer.alloc(2000, 0xa5), 0, 2000, page * 4096);
  }
  expect(await search(dataFolder, root)).toEqual({ hasIndex: true, lines: [2001], notes: [DAMAGED] });
  expect((await search(dataFolder, root)).notes).toEqual([]);
});

describe("what keeps the index from being written keeps no command from answering", () => {
  test("a full disk", async () => {
    connecting.sql = "PRAGMA max_page_count = 40";
    const root = library(
      linesOf("hay", "a needle", ...Array.from({ length: 500 }, (_, at) => `word${at} `.repeat(50))),
    );
    const dataFolder = temporaryFolder();
    expect(await search(dataFolder, root)).toEqual({
      hasIndex: false,
      lines: [2],
      notes: [expect.stringMatching(/^the index cannot be written \(.*full.*\); reading the session files instead$/)],
    });
    connecting.sql = "";
    expect(await search(dataFolder, root)).toEqual({ hasIndex: true, lines: [2], notes: [] });
  });

  test("something else in the place of the locks", async () => {
    const dataFolder = temporaryFolder({ locks: "a file" });
    const { notes, ...found } = await search(dataFolder, library());
    expect(found).toEqual({ hasIndex: false, lines: [2] });
    expect(notes).toEqual([expect.stringMatching(/; reading the session files instead$/)]);
  });

  test.each(["index.db", "index.db-wal", "index.db-shm"])("a folder in the place of %s", async (name) => {
    const dataFolder = temporaryFolder();
    mkdirSync(join(dataFolder, name));
    expect(await search(dataFolder, library())).toEqual({ hasIndex: true, lines: [2], notes: [DAMAGED] });
  });

  test("a data folder that is a file", async () => {
    const dataFolder = join(temporaryFolder({ data: "a file" }), "data");
    expect(await search(dataFolder, library())).toMatchObject({ hasIndex: false, lines: [2] });
    expect(readFileSync(dataFolder, "utf8")).toBe("a file");
  });

  test("another program that holds the database", async () => {
    const dataFolder = temporaryFolder();
    const root = library();
    await search(dataFolder, root);
    const holder = openDatabase(indexOf(dataFolder));
    holder.exec("BEGIN EXCLUSIVE");
    connecting.sql = "PRAGMA busy_timeout = 50";
    writeFileSync(join(root, SESSION), linesOf("hay", "hay", "a needle"));
    const { notes, ...found } = await search(dataFolder, root);
    holder.close();
    expect(found).toEqual({ hasIndex: false, lines: [3] });
    expect(notes).toEqual(["the index is locked by another program; reading the session files instead"]);
  });
});

describe("while another turnlog holds the lock", () => {
  function hold(dataFolder: string) {
    mkdirSync(join(dataFolder, "locks"), { recursive: true });
    const lock = tryLock(join(dataFolder, "locks", "index.lock"), { purpose: "indexing" });
    expect(lock).toBeDefined();
    return lock;
  }

  test("a finished index is used, and what changed since is read from the files", async () => {
    const dataFolder = temporaryFolder();
    const root = library();
    await search(dataFolder, root);
    writeFileSync(join(root, SESSION), linesOf("hay", "a needle", "a needle"));
    const lock = hold(dataFolder);
    const { notes, ...found } = await search(dataFolder, root);
    lock?.release();
    expect(found).toEqual({ hasIndex: true, lines: [3, 2] });
    expect(notes).toEqual(["another turnlog is updating the index; the newest sessions may be missing"]);
    expect((await search(dataFolder, root)).lines.toSorted()).toEqual([2, 3]);
  });

  test("instead of one that is being built the sessions are read", async () => {
    const dataFolder = temporaryFolder();
    const lock = hold(dataFolder);
    const { notes, ...found } = await search(dataFolder, library());
    const partial = await search(dataFolder, library(), { acceptsPartial: true });
    lock?.release();
    expect(found).toEqual({ hasIndex: false, lines: [2] });
    expect(notes).toEqual(["another turnlog is building the index; reading the session files instead"]);
    expect(partial).toMatchObject({ hasIndex: true, lines: [2], notes: [] });
  });
});

test("what is wrong with the question itself is told as it is", async () => {
  const bad = { text: "(", mode: "regex" as const, filter: {} };
  const asked = useIndex(temporaryFolder(), [library()], {}, (index) => searchLibrary(index, [], bad));
  await expect(asked).rejects.toThrow(expect.objectContaining({ name: "UserError", code: "usage" }));
});

test("the index lies in a folder of its own, which is made where it is missing", async () => {
  const dataFolder = join(temporaryFolder(), "new", "data");
  await search(dataFolder, library(`${writeLines([answer("a needle")]).join("\n")}\n`));
  expect(existsSync(indexOf(dataFolder))).toBe(true);
});
