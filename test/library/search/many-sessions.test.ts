import { appendFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Index } from "../../../src/library/catalog/open-index.js";
import { searchLibrary } from "../../../src/library/search/run-search.js";
import type { SearchAnswer } from "../../../src/library/search/search-hit.js";
import type { SearchRequest } from "../../../src/library/search/search-request.js";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import * as build from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { openTestIndex } from "../sync/index-contents.js";

const words = (text: string, filter: SearchRequest["filter"] = {}): SearchRequest => ({ text, mode: "words", filter });
const idOf = (number: number) => `${number.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;

function pathOf(root: string, number: number): string {
  return join(root, "projects", `-p${number % 7}`, `${idOf(number)}.jsonl`);
}

function writeSession(root: string, number: number, drafts: readonly build.Draft[]): void {
  const path = pathOf(root, number);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(
    path,
    `${build
      .writeLines(drafts)
      .join("\n")
      .replaceAll('"s1"', `"${idOf(number)}"`)}\n`,
  );
  utimesSync(path, 1_790_000_000 + number, 1_790_000_000 + number);
}

const manyAnswers = (count: number, text: string) =>
  Array.from({ length: count }, (_, at) => build.answer(`${text} ${at}`));

/** What counts: which sessions, in which order, with how many hits. */
const rowsOf = ({ sessions }: SearchAnswer) => sessions.map(({ sessionId, totalHits }) => [sessionId, totalHits]);

test("a session with thousands of hits hides no other", async () => {
  const root = temporaryFolder();
  writeSession(root, 9, [build.prompt("start"), ...manyAnswers(3000, "the harbour")]);
  for (const number of [1, 2, 3, 4, 5])
    writeSession(root, number, [build.prompt(`harbour ${number}`), build.answer("done")]);
  const index = openTestIndex();
  await syncIndex(index, [root]);
  const found = await searchLibrary(index, [root], words("harbour"), [], { perSession: 2 });
  expect(rowsOf(found)).toEqual([
    [idOf(1), 2],
    [idOf(2), 2],
    [idOf(3), 2],
    [idOf(4), 2],
    [idOf(5), 2],
    [idOf(9), 3000],
  ]);
  expect(found).toMatchObject({ totalSessions: 6, totalHits: 3010, exact: true, truncated: true });
  expect(await searchLibrary(undefined, [root], words("harbour"), [], { perSession: 2 })).toEqual(found);
});

describe("the order of sessions", () => {
  test.each([
    [
      "a title before a prompt, a prompt before many answers",
      [build.prompt("start"), build.title("pear")],
      [build.prompt("pear")],
    ],
    [
      "a prompt before many answers",
      [build.title("t"), build.prompt("one pear")],
      [build.title("t"), ...manyAnswers(30, "pear")],
    ],
    [
      "ten times as many hits before fewer",
      [build.title("t"), ...manyAnswers(12, "pear")],
      [build.title("t"), ...manyAnswers(9, "pear")],
    ],
  ] as const)("%s", async (_, first, second) => {
    const root = temporaryFolder();
    writeSession(root, 1, first);
    writeSession(root, 2, second);
    expect(rowsOf(await searchLibrary(undefined, [root], words("pear"))).map(([id]) => id)).toEqual([idOf(1), idOf(2)]);
  });

  test("of about as many hits, the latest first", async () => {
    const root = temporaryFolder();
    writeSession(root, 1, [build.title("t"), build.answer("pear")]);
    writeSession(root, 2, [build.title("t"), ...manyAnswers(3, "x"), build.answer("pear")]);
    expect(rowsOf(await searchLibrary(undefined, [root], words("pear"))).map(([id]) => id)).toEqual([idOf(2), idOf(1)]);
  });
});

const VOCABULARY = ["alpha", "beta", "gamma", "parseQuery", "日本語", "naïve", "delta"];
const anyWords = fc.array(fc.constantFrom(...VOCABULARY), { minLength: 1, maxLength: 4 }).map((list) => list.join(" "));
const anyDraft = fc.oneof(
  anyWords.map((text) => build.prompt(text)),
  anyWords.map((text) => build.answer(text)),
);
const anySession = fc.array(anyDraft, { minLength: 1, maxLength: 5 });
const anyLibrary = fc.array(anySession, { minLength: 150, maxLength: 250 });
const anyStop = fc.integer({ min: 0, max: 60 });
const anyMutation = fc.record({
  kind: fc.constantFrom("append", "rewrite", "delete"),
  pick: fc.nat(1000),
  drafts: anySession,
});

/** A sync that ends after a number of batches, as if it had been killed. */
async function syncPart(index: Index, root: string, batches: number): Promise<void> {
  const stop = new AbortController();
  let left = batches;
  const onProgress = () => {
    left -= 1;
    if (left <= 0) stop.abort();
  };
  if (batches > 0) await syncIndex(index, [root], { batchBytes: 2000, signal: stop.signal, onProgress });
}

function mutate(
  root: string,
  count: number,
  { kind, pick, drafts }: { kind: string; pick: number; drafts: readonly build.Draft[] },
) {
  const number = pick % count;
  const lines = `${build.writeLines(drafts).join("\n")}\n`;
  if (kind === "append") appendFileSync(pathOf(root, number), lines.replaceAll('"u', '"v'));
  else if (kind === "rewrite") writeSession(root, number, drafts);
  else rmSync(pathOf(root, number), { force: true });
}

async function expectPages(index: Index, root: string, request: SearchRequest, all: SearchAnswer): Promise<void> {
  const pages: SearchAnswer[] = [];
  for (let offset = 0; offset < all.totalSessions; offset += 40) {
    const page = { ...request, filter: { ...request.filter, limit: 40 } };
    pages.push(await searchLibrary(index, [root], page, [], { perSession: 2, offset }));
  }
  expect(pages.flatMap(({ sessions }) => sessions)).toEqual(all.sessions);
  expect(pages.map(({ totalSessions, totalHits }) => [totalSessions, totalHits])).toEqual(
    pages.map(() => [all.totalSessions, all.totalHits]),
  );
}

test("hundreds of sessions are found, counted, ordered and paged alike with no, half and whole an index", async () => {
  const queries = ["alpha", "beta -gamma", '"alpha beta"', "query", "本", "naive", "del*", "alpha OR delta"];
  await fc.assert(
    fc.asyncProperty(
      anyLibrary,
      fc.array(fc.tuple(anyStop, fc.array(anyMutation, { maxLength: 6 })), { minLength: 2, maxLength: 2 }),
      async (library, rounds) => {
        const root = temporaryFolder();
        for (const [number, drafts] of library.entries()) writeSession(root, number, drafts);
        writeSession(root, library.length, [build.prompt("long"), ...manyAnswers(2000, "alpha")]);
        const index = openTestIndex();
        for (const [batches, mutations] of rounds) {
          await syncPart(index, root, batches);
          for (const mutation of mutations) mutate(root, library.length, mutation);
          for (const text of queries) {
            const request = words(text, { limit: 1000 });
            const [found, read] = [index, undefined].map((one) =>
              searchLibrary(one, [root], request, [], { perSession: 2 }),
            );
            expect(await found).toEqual(await read);
          }
        }
        const all = await searchLibrary(index, [root], words("alpha", { limit: 1000 }), [], { perSession: 2 });
        await expectPages(index, root, words("alpha"), all);
        index.close();
        rmSync(root, { recursive: true });
      },
    ),
    { ...runs(1) },
  );
});
