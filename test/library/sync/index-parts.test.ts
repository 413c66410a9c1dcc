import { describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { isGrowing } from "../../../src/library/activity.js";
import { needsSnapshot, packSnapshot, unpackSnapshot } from "../../../src/library/entries/read-entry.js";
import {
  encodeTurnLines,
  encodeTurnStarts,
  parseTurnLines,
  parseTurnStarts,
} from "../../../src/library/entries/turn-lines.js";
import { isBelow } from "../../../src/library/sources/below-roots.js";
import { KIND_STEP, KINDS, kindOf } from "../../../src/library/text-index/write-docs.js";
import type { Node } from "../../../src/session/graph/node.js";
import { keyHash } from "../../../src/session/number-rows.js";
import { openSession } from "../../../src/session/open-session.js";
import { answer, prompt, writeLines } from "../../builders/session-builder.js";

const DAY_MS = 86_400_000;

describe("the lines of turns", () => {
  const turn = (...lines: readonly (number | readonly [number, number])[]) => ({
    nodes: lines.map((line) => (typeof line === "number" ? { line } : { line: line[0], bodyLine: line[1] }) as Node),
  });
  const lines = encodeTurnLines([turn(3, 4, 5), turn(9, 6, 7, 12), turn(), turn(13, [14, 20])]);

  test("are ranges, in order, with the places of rewritten records", () => {
    expect(lines).toBe("3-5;6-7,9,12;;13-14,20");
    expect(encodeTurnLines([])).toBe("");
  });

  test.each([
    [1, null],
    [3, 1],
    [5, 1],
    [6, 2],
    [8, null],
    [9, 2],
    [12, 2],
    [14, 4],
    [20, 4],
    [21, null],
    [0, null],
  ])("line %i belongs to turn %s", (line, expected) => {
    expect(parseTurnLines(lines)(line)).toBe(expected);
    expect(parseTurnLines("")(line)).toBe(null);
  });

  test("a line with records of two turns belongs to the first", () => {
    expect(parseTurnLines("3-5;5-8;8;9")(5)).toBe(1);
    expect(parseTurnLines("3-5;5-8;8;9")(8)).toBe(2);
  });

  test("a turn begins where its first record was read", () => {
    const node = { kind: "user", role: "prompt", length: 9 } as const;
    const first = { ...node, line: 3, offset: 120 };
    const replaced = { ...node, line: 7, bodyLine: 9, offset: 340 };
    const starts = encodeTurnStarts([{ start: first }, { start: replaced }]);
    expect(parseTurnStarts(starts)).toEqual([
      [3, 120, 9],
      [9, 340, 9],
    ]);
  });
});

describe("snapshots", () => {
  const session = openSession();
  for (const record of parseRecords(writeLines([prompt("日本"), answer("done")]).join("\n"))) session.push(record);

  test("come back as they were, with the place that they know", () => {
    const at = { offset: 120, line: 3 };
    const kept = unpackSnapshot(packSnapshot({ at, state: session.snapshot() }));
    expect(kept?.at).toEqual(at);
    expect(openSession(kept?.state).view()).toEqual(session.view());
    expect(unpackSnapshot(undefined)).toBeUndefined();
  });

  test("are kept of what was written to of late", () => {
    expect([12, 14].map((day) => isGrowing(10 * DAY_MS, day * DAY_MS))).toEqual([true, false]);
  });

  test("are taken again when a session has grown by enough, the longer it is the more", () => {
    const KIB = 1024;
    expect([200 * KIB, 300 * KIB].map((offset) => needsSnapshot(offset, 0))).toEqual([false, true]);
    expect([800_000 * KIB, 950_000 * KIB].map((offset) => needsSnapshot(offset, 750_000 * KIB))).toEqual([false, true]);
  });
});

test("keys are the same exact number each time, and differ by id and by kind", () => {
  const keys = Array.from({ length: 1000 }, (_, at) => keyHash("message", `msg_${at}`));
  expect(new Set([...keys, keyHash("turn", "msg_1")]).size).toBe(1001);
  expect(keys.every((key) => Number.isSafeInteger(key) && key >= 0)).toBe(true);
  expect(keyHash("message", "msg_1")).toBe(keys[1]);
});

test("the number of a text tells its kind", () => {
  expect(KINDS.map((kind, at) => kindOf(7 * KIND_STEP + at) === kind)).not.toContain(false);
  expect(KINDS.length).toBeLessThanOrEqual(KIND_STEP);
});

test("below a root is what has its whole name before it", () => {
  const below = (path: string, ...roots: readonly string[]) => isBelow(path, roots);
  expect([below("/a/b/c", "/a/b"), below("/a/b/c", "/x", "/"), below("/a/bc", "/a/b"), below("/a/b", "/a/b")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
