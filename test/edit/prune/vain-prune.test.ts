import { describe, expect, test } from "vitest";
import { planPrune } from "../../../src/edit/prune/plan-prune.js";
import { type PruneOptions, prunePreset } from "../../../src/edit/prune/prune-presets.js";
import { answer, call, chain, prompt, type Row, result, toLines } from "../../builders/session-builder.js";
import { edit, NEW_ID, withSource } from "../edited-session.js";

const options = { id: NEW_ID };
const plan = (rows: readonly Row[], prune: PruneOptions) =>
  withSource(toLines(chain(...rows)), (source) => planPrune(source, prune, options));

/** Instructions and tools as Claude Code records them: they are in no message, and sent with every request. */
const snapshot: Row = {
  type: "attachment",
  attachment: { type: "prompt_snapshot", systemPrompt: ["x".repeat(9000)], tools: [{ name: "Bash", schema: {} }] },
};
const progress: Row = { type: "progress", data: { type: "bash_progress", output: "half" }, toolUseID: "t1" };
const small = [prompt("go"), snapshot, call("t1", "Bash", {}), progress, result("t1", "ok"), answer("done")];

describe("a prune that would save no token", () => {
  test.each(["light", "normal", "heavy"] as const)("is nothing to prune: %s", (preset) => {
    expect(plan(small, prunePreset(preset))).toMatchObject({ pruned: 0 });
  });

  test("is one where what is not in the context is asked for", () => {
    expect(plan(small, { progress: true }).pruned).toBeGreaterThan(0);
  });

  test("keeps instructions and tools, which are sent again, where it saves something else", () => {
    const long = small.with(4, result("t1", "x\n".repeat(9000)));
    const { text } = edit(toLines(chain(...long)), (source) =>
      planPrune(source, { ...prunePreset("heavy"), keepTokens: 0 }, options),
    );
    expect(text).toContain('"prompt_snapshot"');
  });
});

const replacement = "preview ".repeat(200);
const replacing = (...ids: readonly string[]): Row => ({
  type: "content-replacement",
  uuid: undefined,
  replacements: ids.map((toolUseId) => ({ kind: "tool-result", toolUseId, replacement })),
});
const twoCalls = [
  prompt("go"),
  call("t1", "Bash", {}),
  result("t1", "stored\n".repeat(9000)),
  call("t2", "Read", {}),
  result("t2", "stored\n".repeat(9000)),
  answer("done"),
];

describe("results that the model saw in another form", () => {
  const stub = (toolNames?: readonly string[]): PruneOptions => ({ tools: "stub", keepLast: 0, toolNames });

  test("are sent as stubs once they are stubbed", () => {
    const { replay, text } = edit(toLines(chain(...twoCalls, replacing("t1", "t2"))), (source) =>
      planPrune(source, stub(), options),
    );
    expect(JSON.stringify(replay.messages)).not.toContain("preview");
    expect(JSON.stringify(replay.messages).match(/turnlog removed/g)).toHaveLength(2);
    expect(text).not.toContain("content-replacement");
  });

  test("keep that form where another result is stubbed", () => {
    const { replay } = edit(toLines(chain(...twoCalls, replacing("t1", "t2"))), (source) =>
      planPrune(source, stub(["Bash"]), options),
    );
    expect(replay.messages[2]?.content).toMatchObject([{ content: expect.stringContaining("turnlog removed") }]);
    expect(replay.messages[4]?.content).toMatchObject([{ content: replacement }]);
  });

  test("save what the model saw, not what is stored", () => {
    const { tokensBefore, tokensAfter } = plan([...twoCalls, replacing("t1", "t2")], stub());
    expect(tokensBefore - tokensAfter).toBeLessThan(replacement.length);
    expect(tokensBefore).toBeGreaterThan(tokensAfter);
  });

  test("stay where that form is short", () => {
    const short = {
      ...replacing("t1"),
      replacements: [{ kind: "tool-result", toolUseId: "t1", replacement: "short" }],
    };
    expect(plan([...twoCalls.slice(0, 3), answer("done"), short], stub())).toMatchObject({ pruned: 0 });
  });
});
