import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FileProblem } from "../../../src/format/layout/folder-listing.js";
import { messagesOf } from "../../../src/library/catalog/library-numbers.js";
import type { NumbersFilter } from "../../../src/library/catalog/numbers-scope.js";
import { computeBlocks } from "../../../src/library/stats/blocks.js";
import { computeStats } from "../../../src/library/stats/compute-stats.js";
import { scanNumbers } from "../../../src/library/stats/scan-numbers.js";
import type { Spent } from "../../../src/library/stats/tally.js";
import { openTimeZone } from "../../../src/library/stats/time-zone.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { anyNewFile, createLibrary } from "../sync/random-library.js";
import { anyLibrary } from "./any-library.js";
import { readStatistics } from "./statistics-of.js";

const CORPUS = resolve(import.meta.dirname, "..", "..", "corpus");
const zone = openTimeZone("Europe/Berlin");

type Statistics = Omit<ReturnType<typeof readStatistics>, "byPullRequest" | "byCommit">;

async function scanStatistics(root: string, filter: NumbersFilter = {}): Promise<Statistics> {
  const numbers = await scanNumbers([root], filter);
  const blocks = computeBlocks(messagesOf(numbers.sessions), Date.UTC(2026, 5, 1));
  return { ...computeStats(numbers, { zone }), blocks };
}

/** What a scan can tell: rows of days and sessions without any message have nothing else. */
function spentOf({ totals, byDay, byWeek, byMonth, byModel, byProject, bySession, blocks }: Statistics) {
  return {
    totals: spent(totals),
    byDay: byDay.filter(isUsed).map((row) => [row.day, spent(row)]),
    byWeek: byWeek.filter(isUsed).map((row) => [row.week, spent(row)]),
    byMonth: byMonth.filter(isUsed).map((row) => [row.month, spent(row)]),
    byModel: inOrder(byModel.filter(isUsed).map((row) => [row.model, spent(row)])),
    byProject: inOrder(byProject.filter(isUsed).map((row) => [row.project, spent(row)])),
    bySession: inOrder(bySession.filter(isUsed).map((row) => [row.path, row.id, row.project, spent(row)])),
    blocks: blocks.map((block) =>
      block.kind === "gap" ? block : [block.startAt, block.endAt, block.models, spent(block)],
    ),
  };
}

function isUsed({ messages }: Spent): boolean {
  return messages > 0;
}

/** Without what was spent on rewound branches, which a scan does not tell apart. The order of adding may show in the last digits. */
function spent({ rewoundCostUsd: _rewound, ...row }: Spent) {
  const { messages, unknownOutputs, usage, costUsd, knownCostUsd, unpricedModels, subagentCostUsd } = row;
  const [cost, known, ofAgents] = [costUsd, knownCostUsd, subagentCostUsd].map((usd) => usd?.toFixed(9));
  return { messages, unknownOutputs, usage, cost, known, ofAgents, unpricedModels: unpricedModels.toSorted() };
}

/** Equal costs leave the order open. */
function inOrder<T>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** A record that replaces one of another type is the only thing that a scan does not see, and nothing writes it. */
function withOwnUuid(line: string): string {
  const type = /"type":"(\w+)"/.exec(line)?.[1];
  return line.replaceAll('"uuid":"', `"uuid":"${type}-`);
}

const CORPORA = ["2.0.50", "2.1.45", "2.1.81", "2.1.200", "2.1.325", "2.1.326", "handwritten", "handwritten-326"];

describe("a scan counts what reading the sessions counts", () => {
  test.each(CORPORA)("in recordings of %s", async (name) => {
    const root = join(CORPUS, name);
    expect(spentOf(await scanStatistics(root))).toEqual(spentOf(readStatistics(root)));
  });

  test("in any library, whatever the filter", async () => {
    const anyFilter = fc.record(
      {
        since: fc.integer({ min: Date.UTC(2026, 4, 1, 18), max: Date.UTC(2026, 4, 3) }),
        until: fc.integer({ min: Date.UTC(2026, 4, 1, 20), max: Date.UTC(2026, 4, 4) }),
        model: fc.constant("opus"),
        gitBranch: fc.constant("main"),
        project: fc.constant("p1"),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(anyLibrary, anyFilter, async (files, filter) => {
        const root = temporaryFolder(files);
        expect(spentOf(await scanStatistics(root, filter))).toEqual(spentOf(readStatistics(root, filter)));
        rmSync(root, { recursive: true });
      }),
      runs(40),
    );
  });

  test("in libraries with damaged, repeated, rewritten and forked records", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyNewFile, { maxLength: 8 }), async (changes) => {
        const root = temporaryFolder();
        const library = createLibrary(root);
        for (const change of changes) library.apply({ ...change, lines: change.lines.map(withOwnUuid) });
        expect(spentOf(await scanStatistics(root))).toEqual(spentOf(readStatistics(root)));
        rmSync(root, { recursive: true });
      }),
      runs(60),
    );
  });
});

test("lines of any length are scanned, and files end without a newline", async () => {
  const line = (at: number, length: number) =>
    JSON.stringify({
      type: "assistant",
      cwd: "/srv",
      uuid: `u${at}`,
      timestamp: "2026-05-01T09:00:00.000Z",
      message: {
        id: `m${at}`,
        role: "assistant",
        model: "claude-haiku-4-5",
        content: "x".repeat(length),
        usage: { input_tokens: at },
      },
    });
  const lines = [10, 600_000, 3_000_000, 524_288, 20].map((length, at) => line(at + 1, length));
  const id = "00000000-0000-4000-8000-000000000001";
  const root = temporaryFolder({ [`projects/-srv/${id}.jsonl`]: lines.join("\n") });
  expect((await scanStatistics(root)).totals).toMatchObject({ messages: 5, usage: { input: 15 } });
});

test("what cannot be read is reported", async () => {
  const id = "00000000-0000-4000-8000-000000000001";
  const root = temporaryFolder({ [`projects/-srv/${id}.jsonl`]: "" });
  const problems: FileProblem[] = [];
  const archive = { folder: join(root, "none") };
  rmSync(join(root, `projects/-srv/${id}.jsonl`));
  mkdirSync(join(root, `projects/-srv/${id}.jsonl`));
  await scanNumbers([root], {}, {}, { archive, problems });
  expect(problems.map(({ path }) => path)).toEqual([join(root, `projects/-srv/${id}.jsonl`)]);
});
