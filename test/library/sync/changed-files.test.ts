import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { parseLine } from "../../../src/format/reader/parse-line.js";
import { listSessions } from "../../../src/library/catalog/list-sessions.js";
import { openIndex } from "../../../src/library/catalog/open-index.js";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import { prompt, writeLines } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { contentsOf, freshContents, hitsByIndex, listed, openTestIndex } from "./index-contents.js";

vi.mock("../../../src/format/reader/parse-line.js", { spy: true });

const ID = "00000001-0000-4000-8000-000000000000";
const FILE = `projects/-p0/${ID}.jsonl`;
const TITLE = `projects/-p0/${ID}/custom-title.json`;
const FILLER = "filler ".repeat(400);
const allLines = writeLines([...Array(12).keys()].map((at) => prompt(`word${at} ${FILLER}`)));
const linesTo = (end: number) => allLines.slice(0, end).join("\n");

/** A session of ten lines that is in the index. */
async function indexed(text = `${linesTo(10)}\n`) {
  const root = temporaryFolder({ [FILE]: text });
  const index = openTestIndex();
  await syncIndex(index, [root]);
  const path = join(root, FILE);
  return {
    root,
    path,
    index,
    /** Returns how many lines were parsed. */
    async sync() {
      vi.mocked(parseLine).mockClear();
      const result = await syncIndex(index, [root]);
      return { lines: vi.mocked(parseLine).mock.calls.length, changed: result.changed };
    },
    find: async (text: string) => (await hitsByIndex(index, root, { text, mode: "words", filter: {} })).length,
    textIds: () => index.db.prepare<{ id: number }>("SELECT id FROM docs WHERE line > 0 ORDER BY id").all(),
  };
}

function replaceBy(path: string, text: string | Buffer): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

test("an edit in place and an append are both found, far from the beginning and the end", async () => {
  const { root, path, index, sync, find } = await indexed();
  writeFileSync(path, `${linesTo(11).replace("word5", "peach")}\n`);
  expect(await sync()).toMatchObject({ changed: 1 });
  expect([await find("peach"), await find("word5"), await find("word10")]).toEqual([1, 0, 1]);
  expect(contentsOf(index)).toEqual(await freshContents(root));
});

test.each<[string, (path: string) => void]>([
  ["a copy with a new inode and the same bytes", (path) => replaceBy(path, readFileSync(path))],
  ["a touched file", (path) => utimesSync(path, 1000, 1000)],
  [
    "a file that was deleted and put back",
    (path) => {
      const bytes = readFileSync(path);
      rmSync(path);
      writeFileSync(path, bytes);
    },
  ],
])("%s is compared, and nothing of it is parsed or indexed", async (_, change) => {
  const { path, sync, textIds } = await indexed();
  const before = textIds();
  change(path);
  expect(await sync()).toEqual({ lines: 0, changed: 0 });
  expect(textIds()).toEqual(before);
});

test("a copy with a new inode that also grew is read on", async () => {
  const { path, sync, textIds, find } = await indexed();
  const before = textIds();
  replaceBy(path, `${linesTo(11)}\n`);
  expect(await sync()).toMatchObject({ changed: 1 });
  expect(textIds().slice(0, before.length)).toEqual(before);
  expect(await find("word10")).toBe(1);
});

test("a last line without a newline is searched, and only it is indexed again when it is complete", async () => {
  const { root, path, index, sync, textIds, find } = await indexed(linesTo(10));
  expect(await find("word9")).toBe(1);
  const before = textIds();
  appendFileSync(path, `\n${allLines[10]}\n`);
  await sync();
  expect(textIds().slice(0, 9)).toEqual(before.slice(0, 9));
  expect([await find("word9"), await find("word10")]).toEqual([1, 1]);
  expect(contentsOf(index)).toEqual(await freshContents(root));
});

test("a last line without a newline that was written differently replaces what was indexed of it", async () => {
  const { root, path, index, sync, find } = await indexed(linesTo(10));
  writeFileSync(path, `${linesTo(9)}\n${allLines[10]}`);
  await sync();
  expect([await find("word9"), await find("word10")]).toEqual([0, 1]);
  expect(contentsOf(index)).toEqual(await freshContents(root));
});

test("a touched file whose last line has no newline is not parsed again but for that line", async () => {
  const { path, sync } = await indexed(linesTo(10));
  utimesSync(path, 1000, 1000);
  expect(await sync()).toMatchObject({ changed: 0, lines: 1 });
});

test.each<[string, (path: string) => void, readonly number[]]>([
  ["cut", (path) => writeFileSync(path, `${linesTo(4)}\n`), [1, 0]],
  ["emptied", (path) => writeFileSync(path, ""), [0, 0]],
  ["trimmed", (path) => replaceBy(path, `${allLines.slice(8, 11).join("\n")}\n`), [0, 1]],
  [
    "deprived of a line in place, and longer again",
    (path) => {
      writeFileSync(path, `${[...allLines.slice(0, 9), allLines[10], allLines[11]].join("\n")}\n`);
    },
    [1, 1],
  ],
  [
    "replaced by a folder",
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    [0, 0],
  ],
])("of a file that was %s, the index has what is there", async (_, change, expected) => {
  const { root, path, index, sync, find } = await indexed();
  change(path);
  await sync();
  expect([await find("word3"), await find("word10")]).toEqual(expected);
  expect(contentsOf(index)).toEqual(await freshContents(root));
});

test("an edit that keeps size and time is found", async () => {
  const root = temporaryFolder({ [FILE]: `${linesTo(10)}\n` });
  const path = join(root, FILE);
  const index = openTestIndex();
  utimesSync(path, 1000, 1000);
  await sleep(60);
  await syncIndex(index, [root]);
  writeFileSync(path, `${linesTo(10).replace("word5", "peach")}\n`);
  utimesSync(path, 1000, 1000);
  await syncIndex(index, [root]);
  expect(await hitsByIndex(index, root, { text: "peach", mode: "words", filter: {} })).toHaveLength(1);
});

test("a changed title file changes the list, as it does without an index", async () => {
  const { root, index, sync } = await indexed();
  const titles = () => [listed(index, root), listSessions(root).sessions].map(([session]) => session?.title);
  for (const title of ["first", "other"]) {
    mkdirSync(dirname(join(root, TITLE)), { recursive: true });
    writeFileSync(join(root, TITLE), JSON.stringify({ customTitle: title }));
    await sync();
    expect(titles()).toEqual([title, title]);
  }
  rmSync(join(root, TITLE));
  await sync();
  expect(titles()[0]).toBe(titles()[1]);
});

test("a last line without newline that repeats a uuid is found in place of the first, and what it replaced again once it is gone", async () => {
  const { root, path, index, sync, find } = await indexed();
  const again = allLines[3]?.replace("word3", "peach") ?? "";
  appendFileSync(path, again);
  await sync();
  expect([await find("word3"), await find("peach"), listed(index, root)[0]?.turns]).toEqual([0, 1, 10]);
  appendFileSync(path, "\n");
  await sync();
  expect([await find("word3"), await find("peach")]).toEqual([0, 1]);
  writeFileSync(path, `${linesTo(10)}\n${again.replace("peach", "plum")}`);
  await sync();
  expect([await find("word3"), await find("peach"), await find("plum")]).toEqual([0, 0, 1]);
  writeFileSync(path, `${linesTo(10)}\n${allLines[10]}\n`);
  await sync();
  expect([await find("word3"), await find("plum"), await find("word10")]).toEqual([1, 0, 1]);
  expect(contentsOf(index)).toEqual(await freshContents(root));
});

test("a followed session is read on from memory, until another process writes the index or the session is rewritten", async () => {
  const { root, path, index } = await indexed();
  const follow = async (other = index) => {
    vi.mocked(parseLine).mockClear();
    await syncIndex(other, [root], { grown: [path], texts: "due" });
    return vi.mocked(parseLine).mock.calls.length;
  };
  const append = (at: number) => appendFileSync(path, `${allLines[at]}\n`);
  append(10);
  await follow();
  append(11);
  expect(await follow()).toBe(1);
  const elsewhere = openIndex(dirname(index.path));
  append(0); // repeats a uuid
  await follow(elsewhere);
  elsewhere.close();
  appendFileSync(path, `${JSON.stringify({ ...JSON.parse(allLines[11] ?? ""), uuid: "new" })}\n`);
  expect(await follow()).toBeGreaterThan(1);
  writeFileSync(path, `${linesTo(4).replace("word2", "peach")}\n${allLines[5]}\n${readFileSync(path, "utf8")}`);
  await follow();
  await syncIndex(index, [root]);
  expect(contentsOf(index)).toEqual(await freshContents(root));
});

test("while another process holds the lock, a file that was rewritten in place and is longer is searched as it is", async () => {
  const { root, path, find } = await indexed();
  writeFileSync(path, `${linesTo(12).replace("word5", "peach")}\n`);
  expect([await find("peach"), await find("word5"), await find("word4"), await find("word11")]).toEqual([1, 0, 1, 1]);
  expect(listSessions(root).sessions).toHaveLength(1);
});
