import { expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { viewTool } from "../../../src/render/tools/view-tool.js";
import { pairToolCalls } from "../../../src/session/turns/tool-calls.js";
import * as build from "../../builders/session-builder.js";

function denied(text: string, fields: build.Row, isError = true) {
  const lines = build.writeLines([
    build.call("c", "Bash", { command: "ls" }),
    build.result("c", text, { isError, ...fields }),
  ]);
  const [call] = pairToolCalls(parseRecords(lines.join("\n"))).toolCalls;
  return call as NonNullable<typeof call>;
}

const decided = (source: string, more: build.Row = {}) => ({
  permissionDecision: { decision: "reject", source, ...more },
});
const REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected.";

test.each<[string, string, build.Row, string | null]>([
  ["a person", "no", { toolDenialKind: "user-rejected", ...decided("user_reject") }, "user"],
  ["a person, in older versions", REFUSED, {}, "user"],
  ["the settings, where nobody was asked", "no", { toolDenialKind: "user-rejected", ...decided("config") }, "settings"],
  ["a rule", "no", { toolDenialKind: "permission-rule" }, "rule"],
  [
    "a rule, by its reason",
    "no",
    { toolDenialKind: "user-rejected", ...decided("config", { reasonType: "rule" }) },
    "rule",
  ],
  ["a rule, in older versions", "Permission to use Bash with command ls has been denied.", {}, "rule"],
  [
    "nobody who could be asked",
    "Claude requested permissions to use Bash, but you haven't granted it yet.",
    {},
    "settings",
  ],
  ["a hook", "no", { toolDenialKind: "user-rejected", ...decided("hook") }, "hook"],
  ["auto mode", "no", { toolDenialKind: "automode-blocked" }, "autoMode"],
  ["auto mode without a verdict", "no", { toolDenialKind: "automode-parsing-error" }, "autoModeUnavailable"],
  ["an interruption", "no", { toolDenialKind: "interrupted" }, "interrupted"],
  ["a cancelled batch", "no", { toolDenialKind: "cancelled" }, "cancelled"],
  ["nobody: the call failed", "Exit code 1", {}, null],
])("a call was kept from running by %s", (_who, text, fields, expected) => {
  expect(denied(text, fields).denial).toBe(expected);
});

test("a call that ran was denied by nobody, whatever the decision's record says", () => {
  expect(denied("fine", decided("config"), false).denial).toBeNull();
});

test.each([
  [{ toolDenialKind: "permission-rule" }, "denied by a permission rule"],
  [{ toolDenialKind: "automode-blocked" }, "denied by auto mode"],
  [{ toolDenialKind: "cancelled" }, "cancelled"],
])("the view of a denied call says who denied it: %j", (fields, label) => {
  expect(viewTool(denied("stop", fields)).parts).toContainEqual({ kind: "text", text: "stop", label, isError: true });
});

test("the view of a refusal leaves out what Claude Code tells the model, and nothing else", () => {
  const textOf = (text: string) => viewTool(denied(text, {})).parts.find((part) => "isError" in part);
  expect(textOf(REFUSED)).toMatchObject({ text: "", label: "denied by the user" });
  expect(textOf(`${REFUSED}\nSee the log.`)).toMatchObject({ text: `${REFUSED}\nSee the log.` });
});
