import { rmSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listSessions } from "../../../src/library/catalog/list-sessions.js";
import type { Index } from "../../../src/library/catalog/open-index.js";
import type { SearchRequest } from "../../../src/library/search/search-request.js";
import { readShortStats } from "../../../src/library/stats/compute-stats.js";
import { openTimeZone } from "../../../src/library/stats/time-zone.js";
import { syncIndex } from "../../../src/library/sync/sync-index.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { readStatistics } from "../stats/statistics-of.js";
import { answerOf, contentsOf, freshContents, listed, openTestIndex } from "./index-contents.js";
import { anyChange, anyNewFile, anyQuery, type Change, createLibrary } from "./random-library.js";

const KINDS = ["prompt", "answer", "toolOutput", "title", "file"] as const;
const anyRequest: fc.Arbitrary<SearchRequest> = fc.record(
  {
    text: anyQuery,
    mode: fc.constantFrom("words" as const, "words" as const, "literal" as const),
    matchesCase: fc.boolean(),
    kinds: fc.subarray([...KINDS], { minLength: 1 }),
    filter: fc.record(
      {
        project: fc.constantFrom("shop", "/home/dev/api"),
        tool: fc.constantFrom("bash", "Edit"),
        errors: fc.constant(true),
        since: fc.constant(Date.UTC(2026, 0, 1, 0, 0, 3)),
        until: fc.constant(Date.UTC(2026, 0, 1, 0, 0, 5)),
      },
      { requiredKeys: [] },
    ),
    sessionId: fc.constantFrom("00000001-0000-4000-8000-000000000000"),
  },
  { requiredKeys: ["text", "mode", "filter"] },
);

/** How much of the texts a sync indexes; the rest is read by the search. */
const anyTexts = fc.constantFrom("all" as const, "none" as const, "due" as const);

async function expectSame(index: Index, root: string, requests: readonly SearchRequest[]): Promise<void> {
  for (const request of requests) {
    expect(await answerOf(index, root, request)).toEqual(await answerOf(undefined, root, request));
  }
  expect(listed(index, root)).toEqual(listSessions(root).sessions);
  expect(readStatistics(root)).toMatchObject(readShortStats(index.db, [root], { zone: openTimeZone("Europe/Berlin") }));
}

test("through every change of a library, the index tells what reading all of it tells", async () => {
  const steps = fc.array(fc.array(anyChange, { minLength: 1, maxLength: 4 }), { maxLength: 4 });
  const library = fc.array(anyNewFile, { minLength: 1, maxLength: 8 });
  const requests = fc.array(anyRequest, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(library, steps, requests, fc.array(anyTexts), async (files, changes, wanted, texts) => {
      const root = temporaryFolder();
      const index = openTestIndex();
      const { apply } = createLibrary(root);
      for (const [at, step] of ([files, ...changes] satisfies (readonly Change[])[]).entries()) {
        for (const change of step) apply(change);
        await syncIndex(index, [root], { texts: texts[at] ?? "all" });
        await expectSame(index, root, wanted);
      }
      await syncIndex(index, [root], { texts: "all" });
      expect(contentsOf(index)).toEqual(await freshContents(root));
      index.close();
      rmSync(root, { recursive: true });
    }),
    { ...runs(15), ...(process.env["TURNLOG_SOAK"] ? {} : { interruptAfterTimeLimit: 40_000 }) },
  );
});
