import { expect, test } from "vitest";
import { toApiMessages } from "../../../src/session/replay/api-replay.js";
import { answer, call, prompt, result, session } from "../../builders/session-builder.js";

test("a result that Claude Code sent in another form is replayed in that form", () => {
  const replacements = [{ kind: "tool-result", toolUseId: "t1", replacement: "short" }];
  const record = { type: "content-replacement", uuid: undefined, replacements };
  const rows = [prompt("go"), call("t1", "Bash", {}), result("t1", "a long text"), answer("done"), record];
  const { messages } = toApiMessages(session(...rows));
  expect(messages[2]?.content).toMatchObject([{ type: "tool_result", tool_use_id: "t1", content: "short" }]);
});
