import { join } from "node:path";
import { expect, test } from "vitest";
import { scanTotals } from "../../../src/library/stats/scan-totals.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";
import { indexedStatistics, readStatistics } from "./statistics-of.js";

const FORKS = join(CORPUS, "2.1.326", "forks");
const BACKGROUND = join(CORPUS, "2.1.326", "background");

test("what forked sub-agents repeat of their parent counts once, which gives Claude Code's own sum", async () => {
  const read = readStatistics(FORKS);
  expect(read.totals).toMatchObject({ messages: 12, usage: { cacheRead: 139_700 } });
  expect(read.totals.costUsd).toBeCloseTo(0.03817500000000001 + 0.056447, 9);
  expect(read.blocks.reduce((sum, block) => sum + (block.kind === "used" ? block.messages : 0), 0)).toBe(12);
  expect(await indexedStatistics(FORKS, temporaryFolder({}))).toEqual(read);
  expect(scanTotals(FORKS).messages).toBe(12);
});

test("a message copied by /background counts in the session that made the request", () => {
  const { bySession } = readStatistics(BACKGROUND);
  const counts = new Map(bySession.map(({ id, messages }) => [id.slice(0, 8), messages]));
  expect(counts.get("daf7f90b")).toBe(9);
  expect(counts.get("af3916e1")).toBe(2);
});
