import { expect, test } from "vitest";
import { planClone } from "../../../src/edit/plans/clone-and-fork.js";
import { viewTool } from "../../../src/render/tools/view-tool.js";
import { describeSession } from "../../../src/session/describe-session.js";
import { toApiMessages } from "../../../src/session/replay/api-replay.js";
import { answer, call, chain, prompt, result, session, toLines } from "../../builders/session-builder.js";
import { NEW_ID, withSource } from "../../edit/edited-session.js";

const replacements = [{ kind: "tool-result", toolUseId: "t1", replacement: "short" }];
const record = { type: "content-replacement", uuid: undefined, replacements };
const rows = (stored: string) => [prompt("go"), call("t1", "Bash", {}), result("t1", stored), answer("done")];

test("a result that Claude Code sent in another form is replayed in that form", () => {
  const { messages } = toApiMessages(session(...rows("a long text"), record));
  expect(messages[2]?.content).toMatchObject([{ type: "tool_result", tool_use_id: "t1", content: "short" }]);
});

test("a call says that the model saw another text than the stored one, and has both", () => {
  const [made] = describeSession(session(...rows("a long text"), record)).turns.flatMap(({ toolCalls }) => toolCalls);
  expect(made).toMatchObject({ result: "a long text", replacement: "short" });
  expect(made && viewTool(made).parts).toContainEqual({ kind: "text", text: "short", label: "the model saw instead" });
});

test("a call whose result was sent as it is stored has no such field", () => {
  const other = { ...record, replacements: [{ ...replacements[0], toolUseId: "t2" }] };
  const [made] = describeSession(session(...rows("a long text"), other)).turns.flatMap(({ toolCalls }) => toolCalls);
  expect(made).not.toHaveProperty("replacement");
});

test("an edit counts the text that the model saw", () => {
  const tokensOf = (stored: string, ...more: readonly (typeof record)[]) =>
    withSource(toLines(chain(...rows(stored), ...more)), (source) => planClone(source, { id: NEW_ID }).tokensBefore);
  expect(tokensOf("x".repeat(40_000), record)).toBe(tokensOf("short"));
  expect(tokensOf("x".repeat(40_000))).toBeGreaterThan(tokensOf("short") + 1000);
});
