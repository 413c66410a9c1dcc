import { appendFileSync, mkdirSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { NO_CHANGES } from "../../../src/library/catalog/library-changes.js";
import type { Index } from "../../../src/library/catalog/open-index.js";
import { loadSession } from "../../../src/library/load/load-session.js";
import { findMatches } from "../../../src/library/search/match-text.js";
import { searchLibrary } from "../../../src/library/search/run-search.js";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import { scanFileTexts } from "../../../src/library/text-index/file-texts.js";
import { parseQuery } from "../../../src/library/text-index/parse-query.js";
import { type Database, openDatabase } from "../../../src/store/sqlite.js";
import * as build from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { openTestIndex } from "../sync/index-contents.js";

vi.mock("../../../src/library/load/load-session.js", async (original) => {
  const module = await original<typeof import("../../../src/library/load/load-session.js")>();
  return { ...module, loadSession: vi.fn(module.loadSession) };
});

vi.mock("../../../src/library/text-index/file-texts.js", async (original) => {
  const module = await original<typeof import("../../../src/library/text-index/file-texts.js")>();
  return { ...module, scanFileTexts: vi.fn(module.scanFileTexts) };
});

const SHOWN = 20;
const REQUEST = { text: "pear", mode: "words" as const, filter: {} };
const idOf = (number: number) => `${number.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;

/** Sessions with the word in a prompt, then sessions with it in an answer. */
function libraryOf(prompted: number, answered: number): string {
  const root = temporaryFolder();
  for (let number = 0; number < prompted + answered; number++) {
    const path = join(root, "projects", `-p${number % 5}`, `${idOf(number)}.jsonl`);
    const [asked, said] = number < prompted ? ["a pear", "yes"] : ["start", "a pear"];
    const lines = build.writeLines([build.title("t"), build.prompt(asked), build.answer(said)]).join("\n");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${lines.replaceAll('"s1"', `"${idOf(number)}"`)}\n`);
    utimesSync(path, 1_790_000_000 + number, 1_790_000_000 + number);
  }
  return root;
}

interface Asked {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** The index, and which statements were prepared and asked. */
function watched(index: Index): { index: Index; prepared: string[]; asked: Asked[] } {
  const [prepared, asked]: [string[], Asked[]] = [[], []];
  const db: Database = {
    ...index.db,
    prepare<Row>(sql: string) {
      prepared.push(sql);
      const statement = index.db.prepare<Row>(sql);
      const note = (params: readonly unknown[]) => asked.push({ sql, params });
      return {
        ...statement,
        get(...params: Parameters<typeof statement.get>) {
          note(params);
          return statement.get(...params);
        },
        all(...params: Parameters<typeof statement.all>) {
          note(params);
          return statement.all(...params);
        },
      };
    },
  };
  return { index: { ...index, db }, prepared, asked };
}

async function searchWatched(prompted: number, answered: number) {
  const root = libraryOf(prompted, answered);
  const index = openTestIndex();
  await syncIndex(index, [root], { texts: "all" });
  const seen = watched(index);
  const search = () => searchLibrary(seen.index, [root], REQUEST, [], { perSession: 3, changes: NO_CHANGES });
  return { ...seen, answer: await search(), search };
}

test("a search asks the index as often for many sessions as for few", async () => {
  const [few, many] = [await searchWatched(30, 30), await searchWatched(75, 75)];
  expect([few.answer.totalSessions, many.answer.totalSessions]).toEqual([60, 150]);
  expect(many.asked).toHaveLength(few.asked.length);
  expect(few.asked.length).toBeLessThan(2 * SHOWN + 12);
});

test("the next search prepares nothing again", async () => {
  const { prepared, search } = await searchWatched(5, 5);
  const before = prepared.length;
  await search();
  expect(prepared).toHaveLength(before);
});

test("times are looked up only of sessions whose place among the shown depends on them", async () => {
  const { asked } = await searchWatched(40, 60);
  const times = asked.filter(({ sql }) => sql.includes("d.time IS NOT NULL"));
  expect(times.map(({ params }) => JSON.parse(`${params[0]}`).length)).toEqual([40]);
});

test("the rows of many files are read again only after a change, whoever made it", async () => {
  const { index, asked, search } = await searchWatched(0, 310);
  const rowsRead = () => asked.filter(({ sql }) => sql.includes("FROM files WHERE 1 AND")).length;
  await search();
  expect(rowsRead()).toBe(1);
  const other = openDatabase(index.path);
  other.exec("DELETE FROM files WHERE id = (SELECT max(id) FROM files)");
  other.close();
  expect((await search()).totalSessions).toBe(309);
  index.db.exec("DELETE FROM files WHERE id = (SELECT max(id) FROM files)");
  expect((await search()).totalSessions).toBe(308);
  expect(rowsRead()).toBe(3);
});

test("a search without an index reads each session that it shows once for its facts", async () => {
  vi.mocked(loadSession).mockClear();
  const answer = await searchLibrary(undefined, [libraryOf(SHOWN, 0)], REQUEST, [], { perSession: 3 });
  expect(answer.sessions).toHaveLength(SHOWN);
  expect(loadSession).toHaveBeenCalledTimes(SHOWN);
});

test("words of other alphabets that cannot match are not split", () => {
  const text = `${"été naïve 日本語 ".repeat(10_000)}a pear`;
  const split = vi.spyOn(String.prototype, "matchAll");
  const found = findMatches(parseQuery("pear"), text);
  const splits = split.mock.calls.length;
  split.mockRestore();
  expect(found).toEqual([{ start: text.length - 4, end: text.length, term: 0 }]);
  expect(splits).toBeLessThan(20);
});

test("a rare word is found in the oldest session although no time is left, and nothing else is read", async () => {
  const root = libraryOf(0, 12);
  const filler = build.writeLines([build.answer("x".repeat(512 * 1024))]).join("\n");
  for (let number = 0; number < 12; number++)
    appendFileSync(join(root, "projects", `-p${number % 5}`, `${idOf(number)}.jsonl`), `${filler}\n`);
  const rare = build.writeLines([build.answer("a zebrafish")]).join("\n");
  appendFileSync(join(root, "projects", "-p0", `${idOf(0)}.jsonl`), `${rare}\n`);
  const index = openTestIndex();
  await syncIndex(index, [root], { texts: "none" });
  vi.mocked(scanFileTexts).mockClear();
  const request = { ...REQUEST, text: "zebrafish" };
  const answer = await searchLibrary(index, [root], request, [], { changes: NO_CHANGES, budgetMs: 0 });
  expect({ sessions: answer.totalSessions, exact: answer.exact }).toEqual({ sessions: 1, exact: true });
  expect(vi.mocked(scanFileTexts).mock.calls.length).toBe(1);
});

test("when time is up, the newest sessions were read, each with its sub-agents, and the answer says that more may come", async () => {
  const root = libraryOf(0, 3);
  const path = (number: number) => join(root, "projects", `-p${number}`, idOf(number));
  truncateSync(`${path(0)}.jsonl`, 70 * 1024 * 1024); // more than is read whatever the time
  utimesSync(`${path(0)}.jsonl`, 1_790_000_000, 1_790_000_000);
  const agent = join(path(2), "subagents", "agent-a1.jsonl");
  mkdirSync(dirname(agent), { recursive: true });
  writeFileSync(agent, `${build.writeLines([build.answer("another pear")]).join("\n")}\n`);
  utimesSync(agent, 1_790_000_000, 1_790_000_000); // the session in between was written later
  vi.mocked(scanFileTexts).mockClear();
  const now = vi
    .spyOn(performance, "now")
    .mockImplementation(() => (vi.mocked(scanFileTexts).mock.calls.length < 2 ? 0 : 10_000));
  const answer = await searchLibrary(undefined, [root], REQUEST, [], { budgetMs: 0 });
  now.mockRestore();
  const found = answer.sessions.map(({ sessionId, totalHits }) => [sessionId, totalHits]);
  expect({ found, exact: answer.exact }).toEqual({ found: [[idOf(2), 2]], exact: false });
});
