import { describe, expect, test } from "vitest";
import { answer, call, compactBoundary, prompt, type Row, result, textBlock } from "../../builders/session-builder.js";
import { at, secondsOf, tracesOf } from "../written-session.js";

const queued = (text: string): Row => ({
  type: "attachment",
  attachment: { type: "queued_command", prompt: text, commandMode: "prompt" },
});

describe("a generation begins after the last thing that the model was given", () => {
  test("the end of a compaction in the middle of a turn", () => {
    const boundary = {
      ...compactBoundary(),
      compactMetadata: { trigger: "auto", preTokens: 1000, durationMs: 88_000 },
    };
    const traces = tracesOf([
      at(0, prompt("go")),
      at(2, call("t1", "Bash", { command: "ls" })),
      at(3, result("t1", "a.txt")),
      at(93, { ...boundary, logicalParentUuid: "u3" }),
      at(93, prompt("This session is being continued", { isCompactSummary: true, isVisibleInTranscriptOnly: true })),
      at(97, answer("done")),
    ]);
    expect(secondsOf(traces, "generation", "compaction")).toEqual([
      ["claude-x", 0, 2],
      ["claude-x", 93, 97],
      ["compaction", 5, 93],
    ]);
  });

  test("the first result of a call whose work goes on in the background", () => {
    const done =
      "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>completed</status>\n<summary>done</summary>\n</task-notification>";
    const traces = tracesOf([
      at(0, prompt("go")),
      at(2, call("t1", "Bash", { command: "make", run_in_background: true })),
      at(3, result("t1", "running in background with ID: b1", { toolUseResult: { backgroundTaskId: "b1" } })),
      at(5, answer("waiting")),
      at(65, prompt(done, { origin: { kind: "task-notification" } })),
      at(68, answer("built")),
    ]);
    expect(secondsOf(traces, "generation")).toEqual([
      ["claude-x", 0, 2],
      ["claude-x", 3, 5],
      ["claude-x", 65, 68],
    ]);
  });

  test("a result, when a follow-up was typed before it", () => {
    const traces = tracesOf([
      at(0, prompt("go")),
      at(1, call("t1", "Bash", { command: "sleep 9" })),
      at(10, result("t1", "")),
      at(4, queued("hurry")),
      at(12, answer("done")),
    ]);
    expect(secondsOf(traces, "generation", "followUp")).toEqual([
      ["claude-x", 0, 1],
      ["claude-x", 10, 12],
      ["follow-up", 4, 4],
    ]);
  });
});

test("what Claude Code writes when the session is resumed an hour later does not prolong the turn", () => {
  const filler = {
    type: "assistant",
    message: {
      id: "f",
      type: "message",
      role: "assistant",
      model: "<synthetic>",
      content: [textBlock("No response requested.")],
    },
  };
  const traces = tracesOf([
    at(0, prompt("hello")),
    at(3, answer("hi")),
    at(3600, filler),
    at(3601, prompt("more")),
    at(3602, answer("yes")),
  ]);
  expect(secondsOf(traces, "turn")).toEqual([
    ["Turn 1", 0, 3],
    ["Turn 2", 3601, 3602],
  ]);
});

describe("waiting for a person is told apart from working", () => {
  const asked = { decision: "accept", source: "user_temporary", grantScope: "once" };

  test.each([
    ["a question", "AskUserQuestion", {}, {}, [["question", 1, 61]], 60],
    ["a plan", "ExitPlanMode", { plan: "1. do" }, {}, [["plan approval", 1, 61]], 60],
    [
      "a file that may be written",
      "Write",
      { file_path: "/a" },
      { permissionDecision: asked },
      [["permission", 1, 61]],
      60,
    ],
    [
      "a sub-agent that says how long it ran",
      "Agent",
      {},
      { permissionDecision: asked, toolUseResult: { totalDurationMs: 50_000 } },
      [["permission", 1, 11]],
      10,
    ],
    [
      "what a rule allowed",
      "Write",
      { file_path: "/a" },
      { permissionDecision: { decision: "accept", source: "user_permanent", reasonType: "rule" } },
      [],
      0,
    ],
  ] as const)("%s", (_, name, input, fields, waits, waited) => {
    const traces = tracesOf([
      at(0, prompt("go")),
      at(1, call("t1", name, input)),
      at(61, result("t1", "ok", fields)),
      at(63, answer("done")),
    ]);
    expect(secondsOf(traces, "wait")).toEqual(waits);
    expect(traces[0]?.observations[0]?.metadata).toMatchObject({
      waiting_ms: waited * 1000,
      working_ms: (63 - waited) * 1000,
    });
  });

  test("two questions at once count once", () => {
    const traces = tracesOf([
      at(0, prompt("go")),
      at(1, call("t1", "AskUserQuestion", {})),
      at(1, call("t2", "AskUserQuestion", {})),
      at(11, result("t1", "a")),
      at(21, result("t2", "b")),
      at(22, answer("done")),
    ]);
    expect(traces[0]?.observations[0]?.metadata).toMatchObject({ waiting_ms: 20_000, working_ms: 2000 });
  });
});
