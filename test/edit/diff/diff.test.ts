import { describe, expect, test } from "vitest";
import { diffSessions } from "../../../src/edit/diff/diff-sessions.js";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { paintSessionDiff } from "../../../src/render/terminal/lists/paint-session-diff.js";
import { createStyle } from "../../../src/render/terminal/style.js";
import { describeSession } from "../../../src/session/describe-session.js";
import { answer, call, chain, prompt, type Row, result, toLines } from "../../builders/session-builder.js";

const side = (id: string, ...rows: readonly Row[]) => ({
  id,
  title: null,
  turns: describeSession(parseRecords(Buffer.from(toLines(chain(...rows))))).turns,
});
const own = (row: Row, id: string): Row => ({ ...row, message: { ...(row["message"] as object), id } });
const kinds = (diff: ReturnType<typeof diffSessions>) =>
  diff.turns.map(({ kind, a, b }) => [kind, a?.index ?? null, b?.index ?? null]);

const first = side("a", prompt("add a button"), answer("1"), prompt("make it blue"), answer("2"), prompt("bye"));

describe("a comparison", () => {
  test("of a session with itself finds all turns the same", () => {
    expect(kinds(diffSessions(first, first))).toEqual([
      ["same", 1, 1],
      ["same", 2, 2],
      ["same", 3, 3],
    ]);
  });

  test("pairs turns by what they share, then by likeness of their prompts, and tells what differs", () => {
    const uuid = (name: string) => ({ uuid: `other-${name}`, parentUuid: null });
    const second = side(
      "b",
      prompt("add a button", uuid("1")),
      answer("1"),
      prompt("another idea", { uuid: "other-2" }),
      own(answer("x"), "m-x"),
      prompt("make it bright blue", { uuid: "other-3" }),
      call("t", "Write", { file_path: "/a.css", content: "" }),
      result("t", "ok"),
    );
    const diff = diffSessions(first, second);
    expect(kinds(diff)).toEqual([
      ["same", 1, 1],
      ["onlyB", null, 2],
      ["changed", 2, 3],
      ["onlyA", 3, null],
    ]);
    expect(diff.turns[2]?.differs).toEqual(["prompt", "answer", "tools", "files"]);
    expect(diff.turns[2]?.b?.files).toEqual(["/a.css"]);
  });

  test("is painted as lines that came and went, with nothing that harms a terminal", () => {
    const second = side("b", prompt("add a \u001b[2Jbutton"), own(answer("1"), "m-1"));
    const text = [...paintSessionDiff(diffSessions(first, second), createStyle(false))].join("");
    expect(text).toContain("-add a button");
    expect(text).toContain("@@ turn 2 only in the first\n- make it blue");
    expect(text).not.toContain("\u001b");
  });
});
