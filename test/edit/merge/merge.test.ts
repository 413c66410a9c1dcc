import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MergeWish, planMerge } from "../../../src/edit/merge/plan-merge.js";
import { planClone } from "../../../src/edit/plans/clone-and-fork.js";
import { type EditSource, readEditSource } from "../../../src/edit/plans/edit-source.js";
import { anySession } from "../../builders/any-session.js";
import { answer, call, chain, prompt, type Row, result, toLines, uuidOf } from "../../builders/session-builder.js";
import { temporaryFolder } from "../../format/temporary-folder.js";
import { runs } from "../../runs.js";
import { apiProblems } from "../../session/replay/api-rules.js";
import { edit, NEW_ID, readEdited, withSource } from "../edited-session.js";
import { lostParents } from "../lost-parents.js";

const OTHER_ID = "7c6b5a49-3827-4615-8403-f2e1d0c9b8a7";
const talk = toLines(chain(prompt("one"), answer("1"), prompt("two"), answer("2")));
const rewound = toLines(
  chain(
    prompt("one"),
    answer("1"),
    prompt("wrong"),
    call("t", "Bash", {}),
    result("t", "ok"),
    answer("w"),
    prompt("right", { parentUuid: uuidOf(2) }),
    answer("r"),
  ),
);

function otherSession(text: string): EditSource {
  const path = join(temporaryFolder(), `${OTHER_ID}.jsonl`);
  writeFileSync(path, text);
  return readEditSource(path);
}

const merge = (text: string, wish: MergeWish) => edit(text, (source) => planMerge(source, wish, { id: NEW_ID }));
const promptsOf = ({ session }: ReturnType<typeof edit>) => session.turns.map((turn) => turn.prompt);
const guests = toLines(
  chain(prompt("A"), call("x", "Read", {}), result("x", "ok"), answer("a"), prompt("B"), answer("b")),
).replaceAll("2026-01-01", "2025-01-01");

const compacted = toLines(
  chain(
    prompt("one"),
    answer("1"),
    prompt("two"),
    answer("2"),
    { type: "system", subtype: "compact_boundary", parentUuid: null, logicalParentUuid: uuidOf(4) },
    prompt("This session is being continued", { isCompactSummary: true }),
    prompt("three"),
    answer("3"),
  ),
);

describe("a merge", () => {
  test.each([
    ["of a branch", rewound, () => ({ from: { branch: uuidOf(6) } })],
    ["of another session", talk, () => ({ from: { other: otherSession(guests) } })],
  ])("%s tells before how many tokens there are after", (_what, text, wish: () => MergeWish) => {
    const { tokensBefore, tokensAfter } = withSource(text, (source) => planMerge(source, wish(), { id: NEW_ID }));
    const merged = withSource(merge(text, wish()).text, (source) => planClone(source, { id: NEW_ID }));
    expect(tokensAfter).toBeGreaterThan(tokensBefore);
    expect(Math.abs(tokensAfter - merged.tokensBefore)).toBeLessThanOrEqual(1); // rounded
  });

  test("tells how many turns come where, and when clients will not send them", () => {
    const notesOf = (wish: Omit<MergeWish, "from">) => {
      const from = { other: otherSession(guests) };
      return withSource(compacted, (source) => planMerge(source, { from, ...wish }, { id: NEW_ID })).notes;
    };
    expect(notesOf({ turns: { from: 1, to: 1 } })).toContain("1 turn comes last");
    expect(notesOf({ at: 1 })).toEqual(
      expect.arrayContaining([
        "2 turns come after turn 1",
        "a compaction follows them, so Claude Code does not send them",
      ]),
    );
  });

  test("to a session without a conversation has the turns of the other", () => {
    const merged = merge(toLines([{ type: "custom-title", customTitle: "x" }]), {
      from: { other: otherSession(guests) },
    });
    expect(promptsOf(merged)).toEqual(["A", "B"]);
    expect({ errors: merged.errors, lost: lostParents(merged.rows) }).toEqual({ errors: [], lost: [] });
  });

  test("of a branch has its turns at the end, with their calls", () => {
    const merged = merge(rewound, { from: { branch: uuidOf(6) } });
    expect(promptsOf(merged)).toEqual(["one", "right", "wrong"]);
    expect(merged.session.turns[2]?.toolCalls).toHaveLength(1);
    expect(merged.session.branches.dead).toEqual([]);
    expect({ errors: merged.errors, lost: lostParents(merged.rows) }).toEqual({ errors: [], lost: [] });
  });

  test("of a branch can come after a turn", () => {
    expect(promptsOf(merge(rewound, { from: { branch: uuidOf(6) }, at: 1 }))).toEqual(["one", "wrong", "right"]);
  });

  test.each([
    [{}, ["one", "two", "A", "B"]],
    [{ at: 1 }, ["one", "A", "B", "two"]],
    [{ turns: { from: 2, to: 2 } }, ["one", "two", "B"]],
  ])("of another session with %j has the turns asked for", (where, prompts) => {
    const merged = merge(talk, { from: { other: otherSession(guests) }, ...where });
    expect(promptsOf(merged)).toEqual(prompts);
    expect(merged.errors).toEqual([]);
    expect(apiProblems(merged.replay.messages)).toEqual([]);
    expect(lostParents(merged.rows)).toEqual([]);
  });

  test("of another session is the latest, says of whom it is, and shares no uuid with it", () => {
    const { rows } = merge(talk, { from: { other: otherSession(guests) } });
    const added: readonly Row[] = rows.filter((row) => JSON.stringify(row["forkedFrom"])?.includes(OTHER_ID));
    const times = rows.flatMap((row) => row["timestamp"] ?? []);
    expect(added).toHaveLength(6);
    expect(times).toEqual(times.toSorted());
    expect(new Set(rows.map((row) => row["uuid"]).filter(Boolean)).size).toBe(10);
  });

  test("counts no more than there is, whatever the other session counted", () => {
    const guest = guests.replaceAll('"input_tokens":3', '"input_tokens":190000');
    const { rows } = merge(talk, { from: { other: otherSession(guest) } });
    const counts = rows.flatMap((row) => JSON.stringify(row).match(/(?<="input_tokens":)\d+/g) ?? []).map(Number);
    expect(counts).toHaveLength(5);
    expect(Math.max(...counts)).toBeLessThan(20_000);
  });

  test("leaves out turns that the session has already", () => {
    expect(() => merge(talk, { from: { other: otherSession(talk) } })).toThrow("nothing to merge");
  });

  test.each([{ at: 9 }, { turns: { from: 3, to: 3 } }])("refuses %j", (where) => {
    expect(() => merge(talk, { from: { other: otherSession(guests) }, ...where })).toThrow("no turn");
  });

  test("of any two sessions has no new errors and makes a valid request", () => {
    const session = anySession(15).map((lines) => lines.map((line) => `${line}\n`).join(""));
    fc.assert(
      fc.property(session, session, (text, more) => {
        const other = otherSession(more.replaceAll(/"(id|tool_use_id)":"/g, '"$1":"other-'));
        fc.pre(other.outline.turns.length > 0 && readEdited(Buffer.from(text)).session.turns.length > 0);
        const merged = merge(text, { from: { other } });
        const before = [...readEdited(Buffer.from(text)).errors, ...readEdited(Buffer.from(more)).errors];
        expect(merged.errors.filter((code) => !before.includes(code))).toEqual([]);
        expect(lostParents(merged.rows)).toEqual([]);
        expect(apiProblems(merged.replay.messages)).toEqual([]);
      }),
      runs(60),
    );
  });
});
