import { describe, expect, test } from "vitest";
import type { EditSource } from "../../../src/edit/plans/edit-source.js";
import { planRedact } from "../../../src/edit/plans/plan-redact.js";
import { createRedactor } from "../../../src/redact/create-redactor.js";
import { answer, assistant, chain, prompt, toLines, uuidOf } from "../../builders/session-builder.js";
import { tokenOf } from "../../cli/planted-library.js";
import { apiProblems } from "../../session/replay/api-rules.js";
import { edit, NEW_ID } from "../edited-session.js";

const secret = tokenOf("prompt");
const thinking = (text: string) => ({ type: "thinking", thinking: text, signature: "c2lnbmVk" });
const redact = (source: EditSource) =>
  planRedact(source, { clean: createRedactor({ level: "redact" }).json }, { id: NEW_ID });

describe("a redacted session", () => {
  test("has no secret left and still makes a valid request", () => {
    const rows = chain(prompt(`use ${secret}`), answer(`done with ${secret}`));
    const { text, replay, errors } = edit(toLines(rows), redact);
    expect(text).not.toContain(secret);
    expect(replay.messages).toHaveLength(2);
    expect(apiProblems(replay.messages)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("loses thinking that held a secret as a whole, and what hung on it hangs higher", () => {
    const rows = chain(
      prompt("one"),
      assistant("m1", [thinking(`the key is ${secret}`)], { stopReason: null }),
      assistant("m1", [{ type: "text", text: "1" }], { stopReason: "end_turn" }),
      prompt("two"),
      assistant("m2", [thinking("nothing private")], { stopReason: null }),
      assistant("m2", [{ type: "text", text: "2" }], { stopReason: "end_turn" }),
    );
    const { text, rows: written, errors } = edit(toLines(rows), redact);
    expect(text).not.toContain("the key");
    expect(text).toContain("nothing private");
    expect(written[1]?.["parentUuid"]).toBe(written[0]?.["uuid"]);
    expect(errors).toEqual([]);
  });

  test("loses all thinking of the last turn when one of its blocks held a secret", () => {
    const content = [thinking(`the key is ${secret}`), { type: "text", text: "1" }];
    const rows = chain(
      prompt("one"),
      assistant("m1", content, { stopReason: null }),
      assistant("m2", [thinking("more"), { type: "text", text: "2" }], { stopReason: "end_turn" }),
    );
    const { text, replay } = edit(toLines(rows), redact);
    expect(text).not.toContain('"thinking"');
    expect(apiProblems(replay.messages)).toEqual([]);
  });

  test("leaves snapshots behind, as a rewind would write redacted files", () => {
    const snapshot = { type: "file-history-snapshot", messageId: uuidOf(1), snapshot: { messageId: uuidOf(1) } };
    const { rows } = edit(toLines([snapshot, ...chain(prompt("one"), answer("1"))]), redact);
    expect(rows.map((row) => row["type"])).toEqual(["user", "assistant"]);
  });
});
