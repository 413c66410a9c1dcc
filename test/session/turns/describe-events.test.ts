import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { describeSession } from "../../../src/session/describe-session.js";
import * as build from "../../builders/session-builder.js";
import { runCli } from "../../cli/run-cli.js";
import { CORPUS } from "../../oracle/corpus-sessions.js";

/** The notices of a turn that holds some records between its prompt and its answer. */
function noticesOf(...drafts: readonly build.Draft[]): string[] {
  const lines = build.writeLines([build.prompt("go"), ...drafts, build.answer("done")]);
  const [turn] = describeSession(parseRecords(lines.join("\n"))).turns;
  return (turn?.notices ?? []).map(({ kind, level, text }) => `${kind} ${level}: ${text}`);
}

const hook = (type: string, fields: build.Row) =>
  build.attachment(type, { hookName: "PreToolUse:Bash", hookEvent: "PreToolUse", ...fields });

describe("hooks", () => {
  test.each<[string, build.Row, readonly string[]]>([
    [
      "hook_blocking_error",
      { blockingError: { blockingError: "[check.sh]: not now\n", command: "check.sh" } },
      ["hook warning: PreToolUse:Bash hook blocked: not now"],
    ],
    ["hook_stopped_continuation", { message: "enough" }, ["hook warning: PreToolUse:Bash hook ended the turn: enough"]],
    ["hook_system_message", { content: "take care" }, ["hook info: PreToolUse:Bash hook: take care"]],
    ["hook_cancelled", { command: "slow.sh" }, ["hook warning: PreToolUse:Bash hook was cancelled: slow.sh"]],
    [
      "hook_non_blocking_error",
      { stderr: "oops", stdout: "", exitCode: 1 },
      ["hook warning: PreToolUse:Bash hook failed (exit code 1): oops"],
    ],
    [
      "hook_error_during_execution",
      { content: "no such file" },
      ["hook warning: PreToolUse:Bash hook failed: no such file"],
    ],
    [
      "hook_permission_decision",
      { decision: "deny", reason: "not here" },
      ["hook warning: PreToolUse:Bash hook decided: deny, not here"],
    ],
    ["hook_success", { content: "fine" }, ["hook info: fine"]],
    ["hook_success", { content: "", stdout: "" }, []],
  ])("%s %j", (type, fields, expected) => {
    expect(noticesOf(hook(type, fields))).toEqual(expected);
  });

  test("the summary of Stop hooks is told where it adds something", () => {
    const summary = (fields: build.Row) =>
      build.system("stop_hook_summary", { hookCount: 1, hookErrors: [], ...fields });
    expect(noticesOf(summary({}))).toEqual([]);
    expect(noticesOf(summary({ preventedContinuation: true, stopReason: "tests fail" }))).toEqual([
      "system warning: Stop hook ended the turn: tests fail",
    ]);
    const failed = hook("hook_non_blocking_error", { stderr: "oops" });
    expect(noticesOf(failed, summary({ hookErrors: ["oops"] }))).toHaveLength(1);
    expect(noticesOf(failed, summary({ hookErrors: ["other"] }))).toHaveLength(2);
  });
});

test.each<[string, build.Row, string]>([
  [
    "api_error",
    {
      error: { status: 529, error: { error: { message: "Overloaded" } } },
      retryInMs: 568,
      retryAttempt: 1,
      maxRetries: 10,
    },
    "warning: API error 529 Overloaded, retry 1 of 10 in 0.6 s",
  ],
  ["api_error", { error: { cause: { code: "ECONNRESET" } } }, "warning: API error ECONNRESET"],
  [
    "model_fallback",
    { trigger: "overloaded", originalModel: "opus", fallbackModel: "sonnet" },
    "warning: sonnet answers instead of opus: overloaded",
  ],
  [
    "model_refusal_fallback",
    { originalModel: "opus", fallbackModel: "sonnet" },
    "warning: The model refused to answer. sonnet answers instead of opus",
  ],
  ["model_refusal_no_fallback", { apiRefusalCategory: "bio" }, "warning: The model refused to answer: bio"],
  ["away_summary", { content: "Two tests pass." }, "info: While you were away: Two tests pass."],
  ["memory_saved", { writtenPaths: ["/m/a.md", "/m/b.md"] }, "info: Saved to memory: /m/a.md, /m/b.md"],
  ["agents_killed", {}, "warning: Background agents were stopped"],
  ["permission_retry", { commands: ["ls", "cat"] }, "info: Allowed after a refusal: ls, cat"],
  ["scheduled_task_fire", { cron: "0 9 * * *", prompt: "check" }, "info: Scheduled task ran (0 9 * * *): check"],
  ["rewind_stand_in", {}, "info: Stands for a message that was rewound"],
  ["from the future", { content: "New." }, "info: New."],
])("a system line %s is told in plain words", (subtype, fields, expected) => {
  expect(noticesOf(build.system(subtype, fields))).toEqual([`system ${expected}`]);
});

test.each<[string, build.Row, readonly string[]]>([
  [
    "edited_text_file",
    { filename: "/p/a.ts", snippet: "1 x" },
    ["context info: /p/a.ts was changed outside of the session"],
  ],
  ["date_change", { newDate: "2026-11-19" }, ["context info: The date changed: 2026-11-19"]],
  ["goal_status", { met: false, condition: "finish" }, ["context info: Goal not reached yet: finish"]],
  ["goal_status", { met: true, condition: "finish" }, ["context info: Goal reached: finish"]],
  ["session_cron_carry", { tasks: [] }, []],
  ["session_cron_carry", { tasks: [{}, {}] }, ["context info: 2 scheduled tasks carried over"]],
  ["fork_briefing", { text: "You are a fork." }, ["context info: Briefing of the fork: You are a fork."]],
  ["max_turns_reached", { maxTurns: 5 }, ["context warning: Stopped: the limit of 5 turns was reached"]],
  ["environment", { snapshot: {} }, []],
  ["queued_command", { prompt: "do it", origin: { kind: "coordinator" } }, ["nonHuman info: do it"]],
])("an attachment %s %j", (type, fields, expected) => {
  expect(noticesOf(build.attachment(type, fields))).toEqual(expected);
});

test("records outside of the conversation are told once, in the turn that they stand in", () => {
  const mode = (value: string) => ({ type: "memory-mode", mode: value, uuid: null, timestamp: "2026-01-01T00:00:05Z" });
  const ended = { type: "ended-by-model", uuid: null, timestamp: "2026-01-01T00:00:06Z" };
  expect(noticesOf(mode("off"), mode("off"), ended)).toEqual([
    "system info: Memory switched off",
    "system info: The model ended the conversation",
  ]);
});

test("what a prompt came with is named", () => {
  const [turn] = describeSession(
    parseRecords(
      build
        .writeLines([
          build.prompt("go"),
          build.attachment("opened_file_in_ide", { filename: "/p/a.ts" }),
          build.attachment("selected_lines_in_ide", { filename: "/p/b.ts", lineStart: 2, lineEnd: 4, content: "x" }),
          build.attachment("agent_mention", { agentType: "reviewer" }),
          build.answer("done"),
        ])
        .join("\n"),
    ),
  ).turns;
  expect(turn?.context).toEqual([
    { kind: "ide_opened_file", path: "/p/a.ts", text: "" },
    { kind: "ide_selection", path: "/p/b.ts", startLine: 2, endLine: 4, text: "x" },
    { kind: "mention", name: "reviewer" },
  ]);
});

const RECORDED = join(
  CORPUS,
  "2.1.326/interactive/projects/-home-dev-demo-app/19f87600-2091-4aba-a07e-12c04fb97d36.jsonl",
);
const BLOCKED = "PostToolUse:Write hook blocked: wrote";

describe("a recorded hook that blocked", () => {
  test.each([
    ["the terminal", ["show", RECORDED], `  ! ${BLOCKED}`],
    ["Markdown", ["export", RECORDED, "--format", "md"], `*Hook* ${BLOCKED}`],
    [
      "HTML",
      ["export", RECORDED, "--format", "html"],
      `class="notice warning"><span class="label">Hook</span> ${BLOCKED}`,
    ],
    ["events", ["show", RECORDED, "--events", "--errors", "--json"], BLOCKED],
  ])("is shown in %s", async (_where, args, expected) => {
    expect((await runCli(args)).stdout).toContain(expected);
  });
});

test("other output of hooks is marked as such in the terminal", async () => {
  const { stdout } = await runCli(["show", RECORDED]);
  expect(stdout).toContain("  * Hook: extra context from hook\n");
  expect(stdout).toContain("  * Hook: stopped\n");
  expect(stdout).not.toContain("Hook: PostToolUse");
});
