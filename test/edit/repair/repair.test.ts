import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { planRepair } from "../../../src/edit/repair/plan-repair.js";
import { anySession } from "../../builders/any-session.js";
import { corpusBytes } from "../../builders/corpus-bytes.js";
import {
  answer,
  assistant,
  call,
  chain,
  prompt,
  type Row,
  result,
  toLines,
  uuidOf,
} from "../../builders/session-builder.js";
import { corpusSessions } from "../../oracle/corpus-sessions.js";
import { runs } from "../../runs.js";
import { hostileRows } from "../../session/hostile-rows.js";
import { apiProblems } from "../../session/replay/api-rules.js";
import { edit, NEW_ID, readEdited, withSource } from "../edited-session.js";
import { lostParents } from "../lost-parents.js";

const repair = (source: EditSource) => planRepair(source, { id: NEW_ID });
const repairRows = (...rows: readonly Row[]) => edit(toLines(chain(...rows)), repair);
const said = ({ replay }: ReturnType<typeof edit>) =>
  replay.messages.map(({ content }) => content.map(({ type, text }) => (type === "text" ? text : type)).join());
const problemsOf = (text: string) => withSource(text, repair).problems?.filter(({ found }) => found > 0);

describe("a repaired session", () => {
  test("continues where a parent was lost", () => {
    const text = toLines(chain(prompt("one"), answer("1"), prompt("two", { parentUuid: "lost" }), answer("2")));
    expect(problemsOf(text)).toEqual([{ code: "missing-parent", found: 1, left: 0 }]);
    const { rows, errors } = edit(text, repair);
    expect(rows[2]?.["parentUuid"]).toBe(rows[1]?.["uuid"]);
    expect(errors).toEqual([]);
  });

  test.each([
    ["leads in a circle", uuidOf(4)],
    ["is the record itself", uuidOf(3)],
    ["is lost beside a branch", "lost"],
  ])("continues after what stands before, where a parent %s", (_how, parentUuid) => {
    const rows = chain(prompt("one"), answer("1"), prompt("two", { parentUuid }), answer("2"));
    const { rows: written, session, errors } = edit(toLines(rows), repair);
    expect(session.turns.map((turn) => turn.prompt)).toEqual(["one", "two"]);
    expect(written[2]?.["parentUuid"]).toBe(written[1]?.["uuid"]);
    expect(errors).toEqual([]);
  });

  test("has no circle", () => {
    const { rows, errors } = repairRows(prompt("one", { parentUuid: uuidOf(2) }), answer("1"), prompt("two"));
    expect({ lost: lostParents(rows), errors }).toEqual({ lost: [], errors: [] });
  });

  test("goes on with another branch where nothing of its own is left, and begins that with a note", () => {
    const repaired = repairRows(answer("1"), prompt("two"), answer("2"), prompt([], { parentUuid: null }));
    expect(said(repaired)).toEqual([expect.stringContaining("lost"), "1", "two", "2"]);
    expect(repaired.errors).toEqual([]);
  });

  test("begins with a note where its first prompt is lost", () => {
    const text = toLines(chain(answer("1"), prompt("two"), answer("2")));
    expect(problemsOf(text)).toContainEqual({ code: "answer-first", found: 1, left: 0 });
    const repaired = edit(text, repair);
    expect(said(repaired)).toEqual(["[The beginning of this conversation is lost.]", "1", "two", "2"]);
    expect({ errors: repaired.errors, lost: lostParents(repaired.rows) }).toEqual({ errors: [], lost: [] });
  });

  test("has each record on a line of its own, and no broken ones", () => {
    const [one = "", two = ""] = toLines(chain(prompt("one"), answer("1"))).split("\n");
    const { text, errors } = edit(`\ufeff${one}${two}\r\nnot json\n\u0000\u0000{"type":"us`, repair);
    expect(text.split("\n").map((line) => line.at(0))).toEqual(["{", "{", "{", undefined]);
    expect(errors).toEqual([]);
  });

  test("has one result for each call: none that nobody asked for, no second one, one where it is missing", () => {
    const repaired = repairRows(
      prompt("one"),
      result("nobody", "?"),
      call("a", "Bash", {}),
      result("a", "failed", { isError: true }),
      result("a", "fine"),
      call("b", "Bash", {}),
      prompt("two"),
      answer("2"),
    );
    expect(said(repaired)).toEqual(["one", "tool_use", "tool_result", "tool_use", "tool_result,two", "2"]);
    expect(repaired.session.totals).toMatchObject({ toolCalls: 2, orphanToolCalls: 0, orphanToolResults: 0 });
    expect(repaired.rows.map((row) => row["parentUuid"])).toEqual([
      null,
      ...repaired.rows.slice(0, -2).map((row) => row["uuid"]),
      undefined,
    ]);
  });

  test("has no thinking that the API refuses, in the last turn none at all", () => {
    const thinking = (text: string, signature?: string) => ({ type: "thinking", thinking: text, signature });
    const { text, replay } = repairRows(
      prompt("one"),
      assistant("m1", [thinking("whole", "c2ln"), { type: "text", text: "1" }], { stopReason: "end_turn" }),
      assistant("m2", [thinking("alone", "c2ln")], { stopReason: null }),
      prompt("two"),
      assistant("m3", [thinking("signed", "c2ln"), { type: "tool_use", id: "t", name: "Bash", input: {} }], {
        stopReason: "tool_use",
      }),
      result("t", "ok"),
      assistant("m4", [thinking("cut off"), { type: "text", text: "2" }], { stopReason: "end_turn" }),
    );
    expect([text.includes("whole"), text.includes("alone"), text.includes("signed"), text.includes("cut off")]).toEqual(
      [true, false, false, false],
    );
    expect(apiProblems(replay.messages)).toEqual([]);
  });

  test("has ids, times and content where they were missing or wrong", () => {
    const bare = (row: Row) => ({ ...row, uuid: undefined, parentUuid: undefined, timestamp: undefined });
    const rows = chain(prompt("one"), answer("1"), prompt("two"), answer("2"));
    const odd = { ...answer("3"), message: { role: "assistant", content: "3", stop_reason: "tool_use" } };
    const text = toLines([...rows.slice(0, 2), bare(rows[2] ?? {}), bare(rows[3] ?? {}), bare(odd)]);
    const repaired = edit(text, repair);
    expect(said(repaired)).toEqual(["one", "1", "two", "2,3"]);
    expect(repaired.errors).toEqual([]);
    expect(problemsOf(text)?.filter(({ left }) => left > 0)).toEqual([]);
  });

  test("keeps the last of records that have one uuid, and a result behind its call", () => {
    const rows = chain(
      prompt("one"),
      result("t", "ok", { parentUuid: uuidOf(3) }),
      call("t", "Bash", {}, { parentUuid: uuidOf(1) }),
      answer("1"),
    );
    const { errors, rows: written } = edit(toLines([...rows, { ...rows[0], ...prompt("again") }]), repair);
    expect(JSON.stringify(written)).not.toContain('"one"');
    expect(written.map((row) => row["type"]).slice(0, 4)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(errors).toEqual([]);
  });

  test.each(corpusSessions().filter((path) => !path.includes("agent-")))("of %s has no errors", (path) => {
    const bytes = corpusBytes(path);
    const repaired = edit(bytes, repair);
    expect(repaired.errors).toEqual([]);
    expect(lostParents(repaired.rows)).toEqual([]);
    expect(repaired.session.turns.map((turn) => turn.prompt)).toEqual(
      readEdited(bytes).session.turns.map((turn) => turn.prompt),
    );
  });

  test("of any session has no errors, makes a valid request, and has parents that can be followed", () => {
    const session = anySession().map((lines) => lines.map((line) => `${line}\n`).join(""));
    fc.assert(
      fc.property(session, (text) => {
        const repaired = edit(text, repair);
        expect(repaired.errors.filter((code) => code !== "all-sidechain")).toEqual([]);
        expect(lostParents(repaired.rows)).toEqual([]);
        expect(apiProblems(repaired.replay.messages)).toEqual([]);
      }),
      runs(80),
    );
  });

  test("of rows of any shape has no errors and makes a valid request", () => {
    fc.assert(
      fc.property(hostileRows.map(toLines), (text) => {
        const repaired = edit(text, repair);
        expect(repaired.errors.filter((code) => code !== "all-sidechain")).toEqual([]);
        expect(apiProblems(repaired.replay.messages)).toEqual([]);
      }),
      runs(80),
    );
  });
});
