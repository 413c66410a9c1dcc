import { rmSync, utimesSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { updateArchive } from "../../../src/library/archive/update-archive.js";
import { listSessions } from "../../../src/library/catalog/list-sessions.js";
import { openArchive } from "../../../src/library/found-session.js";
import type { SessionSummary } from "../../../src/library/load/session-summary.js";
import { findSessions } from "../../../src/library/sources/find-sessions.js";
import { readLatest } from "../../../src/library/sources/read-latest.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { anyLibrary, type LibraryFiles } from "../stats/any-library.js";

const DAY_S = 86_400;
const START_S = Date.UTC(2026, 0, 1) / 1000;

/** What a file time may say: when the file was written, when it was copied, the wrong time zone, nothing. */
const anyFileTime = fc.constantFrom<(endedS: number) => number>(
  (endedS) => endedS,
  (endedS) => endedS + 0.5,
  () => START_S + 5000 * DAY_S,
  (endedS) => endedS - DAY_S / 4,
  (endedS) => START_S - (endedS % 1000),
);

const anyTime = fc.nat(40).map((hours) => START_S + hours * 900);

const anySessions = fc.array(fc.record({ endS: fc.option(anyTime, { nil: undefined }), lines: fc.nat(3) }), {
  maxLength: 30,
});

function writeSessions(plans: readonly { readonly endS: number | undefined; readonly lines: number }[]): LibraryFiles {
  return Object.fromEntries(
    plans.map(({ endS, lines }, at) => {
      const id = `${String(at).padStart(8, "0")}-0000-4000-8000-000000000000`;
      const rows = Array.from({ length: lines }, (_, line) => ({
        type: "user",
        uuid: `${at}-${line}`,
        cwd: `/srv/${at % 3}`,
        ...(endS === undefined ? {} : { timestamp: new Date((endS - (lines - line)) * 1000).toISOString() }),
        message: { role: "user", content: "x".repeat(line * 9000) },
      }));
      return [`projects/-srv-${at % 3}/${id}.jsonl`, rows.map((row) => `${JSON.stringify(row)}\n`).join("")];
    }),
  );
}

function setFileTimes(root: string, timeOf: (endedS: number) => number): void {
  for (const { path, endedAt } of listSessions(root).sessions) {
    const time = timeOf(Date.parse(endedAt ?? "2026-01-01") / 1000);
    utimesSync(path, time, time);
  }
}

const anyFilter = fc.record(
  { project: fc.constant("1"), since: anyTime.map((seconds) => seconds * 1000), model: fc.constant("opus") },
  { requiredKeys: [] },
);

test("the latest sessions are the first ones of the whole list, whatever the file times say", () => {
  fc.assert(
    fc.property(
      fc.oneof(anySessions.map(writeSessions), anyLibrary),
      anyFileTime,
      anyFilter,
      fc.integer({ min: 1, max: 8 }),
      (files, timeOf, filter, limit) => {
        const root = temporaryFolder(files);
        setFileTimes(root, timeOf);
        const { since: _since, ...others } = filter;
        const all = listSessions(root, others);
        const since = filter.since ?? Number.NEGATIVE_INFINITY;
        const wanted = all.sessions.filter(({ endedAt }) => !("since" in filter) || Date.parse(endedAt ?? "") >= since);
        const some = listSessions(root, { ...filter, limit });
        rmSync(root, { recursive: true });
        expect(some.sessions).toEqual(wanted.slice(0, limit));
        expect(some.found).toBe(all.found);
      },
    ),
    runs(40),
  );
});

test("a session that only the archive still has is at its place", () => {
  const root = temporaryFolder(
    writeSessions([1, 2, 3, 4, 5].map((hours) => ({ endS: START_S + hours * 3600, lines: 2 }))),
  );
  setFileTimes(root, (endedS) => endedS);
  const data = temporaryFolder();
  updateArchive(data, findSessions([root]).sessions, {}, []);
  const [, gone] = listSessions(root).sessions;
  rmSync(gone?.path ?? "");
  const { sessions, found } = listSessions(root, { limit: 3 }, { archive: openArchive(data) });
  expect(sessions.map(({ endedAt, archived }) => [endedAt, archived])).toEqual([
    ["2026-01-01T04:59:59.000Z", false],
    ["2026-01-01T03:59:59.000Z", true],
    ["2026-01-01T02:59:59.000Z", false],
  ]);
  expect(found).toBe(5);
});

/** Which sessions are read for the three latest of two hundred. */
function readForThree(timeOf: (endedS: number) => number): number {
  const plans = Array.from({ length: 200 }, (_, at) => ({ endS: START_S + ((at * 37) % 200) * DAY_S, lines: 2 }));
  const root = temporaryFolder(writeSessions(plans));
  setFileTimes(root, timeOf);
  const summaries = new Map(listSessions(root).sessions.map((session) => [session.path, session]));
  let read = 0;
  readLatest(findSessions([root]).sessions, { limit: 3 }, ({ path }): SessionSummary | undefined => {
    read += 1;
    return summaries.get(path);
  });
  rmSync(root, { recursive: true });
  return read;
}

test.each([
  ["are right", (endedS: number) => endedS],
  ["are those of a copy", () => START_S + 300 * DAY_S],
  ["were set back", () => START_S - 300 * DAY_S],
])("only the sessions that are listed are read where the file times %s", (_, timeOf) => {
  expect(readForThree(timeOf)).toBe(3);
});
