import { describe, expect, test } from "vitest";
import type { EditPlan } from "../../../src/edit/plans/edit-plan.js";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { planPrune } from "../../../src/edit/prune/plan-prune.js";
import { PRUNE_PRESETS } from "../../../src/edit/prune/prune-presets.js";
import { planRepair } from "../../../src/edit/repair/plan-repair.js";
import { answer, call, chain, prompt, type Row, result, toLines, uuidOf } from "../../builders/session-builder.js";
import { edit, NEW_ID, withSource } from "../edited-session.js";

const repair = (source: EditSource) => planRepair(source, { id: NEW_ID });
const pruneLightly = (source: EditSource) => planPrune(source, PRUNE_PRESETS.light, { id: NEW_ID });

function changesAgain(text: string, plan: (source: EditSource) => EditPlan): unknown[] {
  return withSource(edit(text, plan).text, (source) => [...plan(source).changes.values()]);
}

describe("a compaction that preserved all of its branch, beside a branch that was left", () => {
  const read = (id: string): Row[] => [call(id, "Read", { file_path: "/x" }), result(id, "words\n".repeat(40))];
  const boundary = (more: Row): Row => ({
    type: "system",
    subtype: "compact_boundary",
    parentUuid: null,
    compactMetadata: { trigger: "auto", preservedMessages: { anchorUuid: uuidOf(8), uuids: [uuidOf(5), uuidOf(6)] } },
    ...more,
  });
  const preserving = (more: Row) =>
    toLines(
      chain(
        prompt("left"),
        ...read("a"),
        answer("nothing"),
        prompt("kept", { parentUuid: null }),
        answer("1"),
        boundary(more),
        prompt("This session is being continued", { isCompactSummary: true }),
        prompt("two"),
        ...read("b"),
        answer("2"),
      ),
    );

  test.each([
    ["names what was before it", { logicalParentUuid: uuidOf(6) }],
    ["does not name it", {}],
  ])("stays beside it when the boundary %s, and another edit changes nothing", (_how, more) => {
    const { session, errors } = edit(preserving(more), repair);
    expect(session.turns.map((turn) => turn.prompt)).toEqual(["kept", "two"]);
    expect(session.branches.dead).toHaveLength(1);
    expect(errors).toEqual([]);
    expect(changesAgain(preserving(more), repair)).toEqual([]);
    expect(changesAgain(preserving(more), pruneLightly)).toEqual([]);
  });
});

test("progress goes at once where the calls go that stood around a prompt", () => {
  const progress = { type: "progress", data: { type: "hook_progress" } };
  const text = toLines(chain(call("t", "Bash", {}), prompt("meanwhile"), result("t", "fine"), progress));
  const plan = (source: EditSource) =>
    planPrune(source, { tools: "remove", keepLast: 0, progress: true }, { id: NEW_ID });
  expect(edit(text, plan).rows.map(({ type }) => type)).toEqual(["user", "user"]);
  expect(changesAgain(text, plan)).toEqual([]);
});
