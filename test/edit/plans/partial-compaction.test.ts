import { describe, expect, test } from "vitest";
import { planFork } from "../../../src/edit/plans/clone-and-fork.js";
import type { EditPlan } from "../../../src/edit/plans/edit-plan.js";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { planRepair } from "../../../src/edit/repair/plan-repair.js";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { toApiMessages } from "../../../src/session/replay/api-replay.js";
import { corpusBytes } from "../../builders/corpus-bytes.js";
import { answer, chain, prompt, type Row, system, toLines, uuidOf } from "../../builders/session-builder.js";
import { edit, NEW_ID } from "../edited-session.js";

const TALK = [prompt("one"), answer("1"), prompt("two"), answer("2"), prompt("three"), answer("3")];

/** Six records, then a compaction in part, then a turn. */
function compacted(logical: number, anchor: number, kept: readonly number[]): string {
  const uuids = kept.map(uuidOf);
  const compactMetadata = { trigger: "manual", preservedMessages: { anchorUuid: uuidOf(anchor), uuids } };
  const boundary: Row = { parentUuid: null, logicalParentUuid: uuidOf(logical), compactMetadata };
  const summary = prompt("summary", { isCompactSummary: true });
  return toLines(chain(...TALK, system("compact_boundary", boundary), summary, prompt("on"), answer("4")));
}

const RECORDED = "2.1.326/interactive/projects/-home-dev-demo-app/c1f42ebc-7c25-4509-a27f-c31b44a38897.jsonl";
const SOURCES: readonly (readonly [string, string])[] = [
  ["from here", compacted(2, 7, [1, 2])],
  ["up to here", compacted(4, 8, [5, 6])],
  ["recorded, in both directions", corpusBytes(RECORDED).toString("utf8")],
];

const EDITS: readonly (readonly [string, (source: EditSource) => EditPlan])[] = [
  ["fork", (source) => planFork(source, { at: source.outline.turns.length }, { id: NEW_ID })],
  ["repair", (source) => planRepair(source, { id: NEW_ID })],
];

describe.each(SOURCES)("a session summarised in part, %s", (_, text) => {
  test.each(EDITS)("sends the same after %s", (_command, plan) => {
    const { replay, session, errors } = edit(text, plan);
    expect(replay.messages).toEqual(toApiMessages(parseRecords(text)).messages);
    expect(replay.report.dropped).toEqual([]);
    expect([session.branches.dead, errors]).toEqual([[], []]);
  });
});
