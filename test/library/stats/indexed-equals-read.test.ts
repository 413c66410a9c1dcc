import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scanTotals } from "../../../src/library/stats/scan-totals.js";
import type { Figures } from "../../../src/library/stats/tally.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { anyLibrary } from "./any-library.js";
import { indexedStatistics, readStatistics } from "./statistics-of.js";

const DEMO = resolve(import.meta.dirname, "..", "..", "..", "demo");
const CORPUS = resolve(import.meta.dirname, "..", "..", "corpus");

const anyFilter = fc.record(
  {
    since: fc.integer({ min: Date.UTC(2026, 4, 1, 18), max: Date.UTC(2026, 4, 3) }),
    until: fc.integer({ min: Date.UTC(2026, 4, 1, 20), max: Date.UTC(2026, 4, 4) }),
    model: fc.constant("opus"),
    gitBranch: fc.constant("main"),
    project: fc.constant("p1"),
    tool: fc.constant("bash"),
    errors: fc.constant(true),
  },
  { requiredKeys: [] },
);

function sumOf(rows: readonly Figures[]) {
  const add = (pick: (row: Figures) => number) => rows.reduce((sum, row) => sum + pick(row), 0);
  return {
    cost: Math.round(add((row) => row.knownCostUsd) * 1e9),
    messages: add((row) => row.messages),
    output: add(({ usage }) => usage.output),
    turns: add((row) => row.turns),
    calls: add((row) => row.toolCalls),
    activeMs: add((row) => row.activeMs),
  };
}

test.each([
  DEMO,
  ...["2.0.50", "2.1.45", "2.1.81", "2.1.200", "2.1.325", "handwritten"].map((name) => join(CORPUS, name)),
])("%s has the same statistics with and without an index", async (root) => {
  expect(await indexedStatistics(root, temporaryFolder())).toEqual(readStatistics(root));
});

test("any library has the same statistics with and without an index, whatever the filter", async () => {
  await fc.assert(
    fc.asyncProperty(anyLibrary, anyFilter, async (files, filter) => {
      const root = temporaryFolder(files);
      expect(await indexedStatistics(root, temporaryFolder(), filter)).toEqual(readStatistics(root, filter));
    }),
    runs(25),
  );
});

test("an index that sees files go counts what is left as if it had never seen them", async () => {
  await fc.assert(
    fc.asyncProperty(anyLibrary, async (files) => {
      const root = temporaryFolder(files);
      const data = temporaryFolder();
      await indexedStatistics(root, data);
      const [first] = Object.keys(files).filter((path) => !path.includes("subagents"));
      rmSync(join(root, first ?? "none"), { force: true });
      expect(await indexedStatistics(root, data)).toEqual(readStatistics(root));
    }),
    runs(10),
  );
});

test("any library spends as many tokens as the byte scan finds, and its parts add up to the whole", () => {
  fc.assert(
    fc.property(anyLibrary, (files) => {
      const root = temporaryFolder(files);
      const { totals, byDay, byModel, byProject, bySession, byBranch, tools, byPullRequest, byCommit } =
        readStatistics(root);
      const scanned = scanTotals(root);
      expect(totals).toMatchObject({
        usage: scanned.usage,
        messages: scanned.messages,
        unknownOutputs: scanned.unknownOutputs,
      });
      const outputs = (rows: readonly { usage: { output: number } }[]) =>
        rows.reduce((sum, row) => sum + row.usage.output, 0);
      expect([byDay, byModel, byProject, bySession, byBranch].map(outputs)).toEqual(Array(5).fill(totals.usage.output));
      expect(tools.reduce((sum, { calls }) => sum + calls, 0)).toBe(totals.toolCalls);
      expect([sumOf(byPullRequest), sumOf(byCommit)]).toEqual([sumOf([totals]), sumOf([totals])]);
    }),
    runs(25),
  );
});

test.each(["2.1.45", "2.1.326/print"])("the sessions of %s spend as many tokens as the byte scan finds", (name) => {
  const { totals } = readStatistics(join(CORPUS, name));
  const { usage, messages, unknownOutputs } = scanTotals(join(CORPUS, name));
  expect(totals).toMatchObject({ usage, messages, unknownOutputs });
});
