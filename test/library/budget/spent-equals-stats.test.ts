import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Budget, PERIODS } from "../../../src/library/budget/budget.js";
import { judgeBudgets } from "../../../src/library/budget/judge-budgets.js";
import { noteFile } from "../../../src/library/budget/note-file.js";
import { refreshSpent } from "../../../src/library/budget/refresh-spent.js";
import { spentDatabase } from "../../../src/library/budget/spent-database.js";
import { readLibraryNumbers } from "../../../src/library/catalog/library-numbers.js";
import { walkLibrary } from "../../../src/library/sources/walk-library.js";
import { computeStats } from "../../../src/library/stats/compute-stats.js";
import { openTimeZone, type TimeZone } from "../../../src/library/stats/time-zone.js";
import { readNumbers } from "../../../src/library/sync/read-numbers.js";
import { useOwn, useOwnLonger } from "../../../src/store/own-database.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { anyLibrary, type LibraryFiles } from "../stats/any-library.js";

const CORPUS = resolve(import.meta.dirname, "..", "..", "corpus");
const HOUR_MS = 3_600_000;
const WRITTEN_AT = Date.UTC(2026, 4, 1, 20);

/** In the evening before a change of clocks, of the year, and before an ordinary day. */
const anyStart = fc.constantFrom(
  WRITTEN_AT,
  Date.UTC(2026, 2, 28, 20),
  Date.UTC(2026, 9, 24, 20),
  Date.UTC(2026, 11, 31, 20),
);
const anyZone = fc
  .constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Chatham")
  .map((name) => openTimeZone(name));
/** How far each file was written when it was first looked at, as a share of its bytes. */
const anyShares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 10, maxLength: 10 });

test("what was spent equals the statistics in every window of every project, however the files grew", async () => {
  await fc.assert(
    fc.asyncProperty(anyLibrary, anyShares, anyShares, anyStart, anyZone, async (library, early, late, start, zone) => {
      const files = moved(library, start - WRITTEN_AT);
      const root = temporaryFolder();
      const place = { dataFolder: temporaryFolder(), roots: [root] };
      write(root, files, early);
      await refreshSpent(place);
      write(root, files, late);
      await noteSessionsOneByOne(place);
      write(root, files, []);
      await noteSessionsOneByOne(place);
      await refreshSpent(place);
      expect(spentByWindow(place, zone, start)).toEqual(statsByWindow(root, zone, start));
    }),
    runs(20),
  );
});

test("what was spent follows sessions that are deleted or written anew", async () => {
  await fc.assert(
    fc.asyncProperty(anyLibrary, anyLibrary, async (before, after) => {
      const root = temporaryFolder(before);
      const place = { dataFolder: temporaryFolder(), roots: [root] };
      await refreshSpent(place);
      rmSync(join(root, "projects"), { recursive: true, force: true });
      write(root, after, []);
      await refreshSpent(place);
      const zone = openTimeZone("UTC");
      expect(spentByWindow(place, zone, WRITTEN_AT)).toEqual(statsByWindow(root, zone, WRITTEN_AT));
    }),
    runs(8),
  );
});

test.each([
  "2.0.50",
  "2.1.45",
  "2.1.81",
  "2.1.325",
  "2.1.326/background",
  "2.1.326/forks",
  "2.1.326/interactive",
  "2.1.326/print",
])("what the sessions of %s spent equals their statistics", async (name) => {
  const root = join(CORPUS, name);
  const place = { dataFolder: temporaryFolder(), roots: [root] };
  await refreshSpent(place);
  const zone = openTimeZone("UTC");
  const [total] = useOwn(spentDatabase(place.dataFolder, place.roots), (db) =>
    judgeBudgets(db, [budget("total", null)], { now: Date.now(), zone }),
  );
  const { totals } = statsOf(root, zone);
  expect(total?.spentUsd).toBe(totals.knownCostUsd);
  expect(total?.unpricedModels).toEqual(totals.unpricedModels);
});

/** The same sessions at another time. */
function moved(files: LibraryFiles, byMs: number): LibraryFiles {
  const shift = (text: string) =>
    text.replaceAll(/2026-05-\d\dT[\d:.]+Z/g, (time) => new Date(Date.parse(time) + byMs).toISOString());
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, shift(text)]));
}

/** Appends up to a share of each file; without one, all of it. */
function write(root: string, files: LibraryFiles, shares: readonly number[]): void {
  for (const [at, [name, text]] of Object.entries(files).entries()) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, "");
    const part = text.slice(0, Math.floor(text.length * (shares[at] ?? 1)));
    writtenSoFar.set(path, Math.max(writtenSoFar.get(path) ?? 0, part.length));
    writeFileSync(path, text.slice(0, writtenSoFar.get(path)), { flag: "r+" });
  }
}

const writtenSoFar = new Map<string, number>();

/** As hooks do it: each session by itself. */
async function noteSessionsOneByOne({ dataFolder, roots }: { dataFolder: string; roots: readonly string[] }) {
  await useOwnLonger(spentDatabase(dataFolder, roots), async (db) => {
    for (const file of walkLibrary(roots).files.toReversed()) await noteFile(db, file);
  });
}

function budget(per: Budget["per"], project: string | null): Budget {
  return { usd: 1, per, project, warnAt: 0.8, isHard: false };
}

/** Half a day later each time, over four days. */
const moments = (start: number) => Array.from({ length: 9 }, (_, index) => start + index * 12 * HOUR_MS);
const PROJECTS = [null, "p0", "/home/p1", "p2"];
const BUDGETS = PERIODS.filter((per) => per !== "session").flatMap((per) =>
  PROJECTS.map((project) => budget(per, project)),
);

function spentByWindow(place: { dataFolder: string; roots: readonly string[] }, zone: TimeZone, start: number) {
  return useOwn(spentDatabase(place.dataFolder, place.roots), (db) =>
    moments(start).flatMap((now) =>
      judgeBudgets(db, BUDGETS, { now, zone }).map(({ window, spentUsd, unpricedModels }) => ({
        window: window.name,
        spentUsd,
        unpricedModels,
      })),
    ),
  );
}

function statsByWindow(root: string, zone: TimeZone, start: number) {
  const stats = PROJECTS.map((project) => statsOf(root, zone, project));
  const rowsOf = ({ totals, byDay, byWeek, byMonth }: ReturnType<typeof statsOf>) => [
    { name: "", ...totals },
    ...byDay.map((row) => ({ name: row.day, ...row })),
    ...byWeek.map((row) => ({ name: row.week, ...row })),
    ...byMonth.map((row) => ({ name: row.month, ...row })),
  ];
  return moments(start).flatMap((now) =>
    BUDGETS.map(({ per, project }) => {
      const window = useWindow(per, now, zone);
      const rows = rowsOf(stats[PROJECTS.indexOf(project)] ?? statsOf(root, zone));
      const row = rows.find(({ name }) => name === window);
      return { window, spentUsd: row?.knownCostUsd ?? 0, unpricedModels: row?.unpricedModels ?? [] };
    }),
  );
}

/** Computed by other means than the sum does it. */
function useWindow(per: Budget["per"], now: number, zone: TimeZone): string {
  const day = new Intl.DateTimeFormat("en-CA", { timeZone: zone.name }).format(now);
  const monday = new Date(Date.parse(day) - ((new Date(day).getUTCDay() + 6) % 7) * 24 * HOUR_MS);
  const thursday = new Date(monday.getTime() + 3 * 24 * HOUR_MS);
  const yearStart = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - yearStart) / (7 * 24 * HOUR_MS)) + 1;
  const names = {
    day,
    week: `${thursday.getUTCFullYear()}-W${String(week).padStart(2, "0")}`,
    month: day.slice(0, 7),
    total: "",
    session: "",
  };
  return names[per];
}

function statsOf(root: string, zone: TimeZone, project?: string | null) {
  const db = readNumbers([root]);
  try {
    return computeStats(readLibraryNumbers(db, [root], project ? { project } : {}), { zone });
  } finally {
    db.close();
  }
}
