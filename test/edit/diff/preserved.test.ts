import { expect, test } from "vitest";
import { diffSessions } from "../../../src/edit/diff/diff-sessions.js";
import { planClone } from "../../../src/edit/plans/clone-and-fork.js";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { paintSessionDiff } from "../../../src/render/terminal/lists/paint-session-diff.js";
import { createStyle } from "../../../src/render/terminal/style.js";
import { describeSession } from "../../../src/session/describe-session.js";
import { outlineRecords } from "../../../src/session/open-session.js";
import { countPreserved } from "../../../src/session/replay/select-replay.js";
import { corpusBytes } from "../../builders/corpus-bytes.js";
import { answer, chain, compactBoundary, prompt, type Row, toLines, uuidOf } from "../../builders/session-builder.js";
import { edit, NEW_ID } from "../edited-session.js";

/** Two turns, a compaction that preserves the records with these numbers, and a turn after it. */
function rows(...preserved: readonly number[]): Row[] {
  const preservedMessages = { anchorUuid: uuidOf(6), uuids: preserved.map(uuidOf) };
  const compactMetadata = { trigger: "auto", ...(preserved.length === 0 ? {} : { preservedMessages }) };
  return chain(
    prompt("add a button"),
    answer("1"),
    prompt("make it blue"),
    answer("2"),
    { ...compactBoundary(), compactMetadata },
    prompt("This session is being continued", { isCompactSummary: true }),
    prompt("go on"),
    answer("3"),
  );
}

const side = (id: string, lines: readonly Row[]) => sideOf(id, toLines(lines));

function sideOf(id: string, text: string) {
  const records = parseRecords(Buffer.from(text));
  return {
    id,
    title: null,
    turns: describeSession(records).turns,
    preserved: countPreserved(outlineRecords(records)),
  };
}

const whole = side("a", rows(3, 4));
const changed = (diff: ReturnType<typeof diffSessions>) =>
  diff.turns.map(({ differs, a, b }) => [differs, a?.preserved, b?.preserved]);
const painted = (diff: ReturnType<typeof diffSessions>) => [...paintSessionDiff(diff, createStyle(false))].join("");

test("sessions whose compactions preserve the same messages do not differ", () => {
  const diff = diffSessions(whole, side("b", rows(3, 4)));
  expect(changed(diff)).toEqual([
    [[], 0, 0],
    [[], 2, 2],
    [[], 0, 0],
  ]);
  expect([diff.a.missingPreserved, diff.b.missingPreserved]).toEqual([0, 0]);
});

test.each([
  "2.1.326/interactive/projects/-home-dev-demo-app/c1f42ebc-7c25-4509-a27f-c31b44a38897.jsonl",
  "2.1.326/print/projects/-home-dev-demo-app/71958ba7-fca6-4326-85c6-8340495a29ee.jsonl",
  "2.1.325/interactive/projects/-home-dev-tproj/611dbd00-3ef7-4482-9f54-be0d7ea83ed8.jsonl",
])("a clone of %s preserves what its source does", (path) => {
  const text = corpusBytes(path).toString("utf8");
  const clone = edit(text, (source) => planClone(source, { id: NEW_ID }));
  const diff = diffSessions(sideOf("a", text), sideOf("b", clone.text));
  expect(diff.turns.filter(({ differs }) => differs.length > 0)).toEqual([]);
  expect(diff.turns.some(({ a }) => (a?.preserved ?? 0) > 0)).toBe(true);
  expect([diff.a.missingPreserved, diff.b.missingPreserved]).toEqual([0, 0]);
});

test("a message that the second session has only before its compaction is a difference of its turn", () => {
  const diff = diffSessions(whole, side("b", rows()));
  expect(changed(diff)[1]).toEqual([["preserved"], 2, 0]);
  expect(painted(diff)).toContain("  messages preserved by a compaction: 2 → 0\n");
});

test("a preserved message that is missing takes the others with it", () => {
  const broken = rows(3, 4).filter(({ uuid }) => uuid !== uuidOf(4));
  const diff = diffSessions(whole, side("b", broken));
  expect(diff.b.missingPreserved).toBe(1);
  expect(changed(diff)[1]).toEqual([["answer", "tokens", "preserved"], 2, 0]);
  expect(painted(diff)).toContain("1 record is missing that a compaction preserved");
});
