import { describe, expect, test } from "vitest";
import type { ChatMessage } from "../../../src/trace/observe/conversation.js";
import { prepareContent } from "../../../src/trace/spans/prepare-content.js";
import { answer, assistant, call, compaction, prompt, result, textBlock } from "../../builders/session-builder.js";
import { at, tracesOf } from "../written-session.js";

const says = (messages: readonly ChatMessage[]) =>
  messages.map(
    ({ role, parts }) =>
      `${role}: ${parts.map((part) => (part.kind === "toolCall" ? part.name : part.text)).join(" + ")}`,
  );

function inputsOf(rows: Parameters<typeof tracesOf>[0], input: "new" | "full"): string[][] {
  const traces = tracesOf(rows, { keepsConversation: input === "full" });
  return traces
    .map((trace) => prepareContent(trace, { content: "all", redactor: null, input }))
    .flatMap(({ observations }) => observations)
    .filter(({ kind }) => kind === "generation")
    .map(({ input: content }) => (content?.kind === "messages" ? says(content.messages) : []));
}

const followUp = (text: string) => ({
  type: "attachment",
  attachment: { type: "queued_command", prompt: text, commandMode: "prompt" },
});

const TWO_TURNS = [
  prompt("look"),
  call("t1", "Bash", { command: "ls" }),
  result("t1", "a.txt"),
  followUp("and count"),
  answer("one file"),
  prompt("thanks"),
  answer("welcome"),
];

describe("what a generation was given", () => {
  test("is the prompt for the first, then the results and messages since the one before", () => {
    expect(inputsOf(TWO_TURNS, "new")).toEqual([["user: look"], ["tool: a.txt", "user: and count"], ["user: thanks"]]);
  });

  test("is the whole conversation, if that is asked for", () => {
    const first = [
      "user: look",
      "assistant: Bash",
      "tool: a.txt",
      "user: and count",
      "assistant: one file",
      "user: thanks",
    ];
    expect(inputsOf(TWO_TURNS, "full")).toEqual([first.slice(0, 1), first.slice(0, 4), first]);
  });

  test("begins with the summary after a compaction", () => {
    const rows = [prompt("look"), answer("seen"), ...[compaction()].flat(), prompt("go on"), answer("done")];
    expect(inputsOf(rows, "full").at(-1)).toEqual([
      "user: This session is being continued from a previous conversation",
      "user: go on",
    ]);
  });

  test("of a conversation that is too long, its end", () => {
    const long = "x".repeat(90_000);
    const rows = [prompt(`1${long}`), answer(`2${long}`), prompt(`3${long}`), answer("4")];
    expect(
      inputsOf(rows, "full")
        .at(-1)
        ?.map((text) => text.slice(0, 12)),
    ).toEqual(["assistant: 2", "user: 3xxxxx"]);
  });
});

test("thinking and calls are part of what the model wrote", () => {
  const thought = { type: "thinking", thinking: "I should look.", signature: "s" };
  const use = { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } };
  const [trace] = tracesOf([
    prompt("go"),
    assistant("m1", [thought, textBlock("Looking."), use], { stopReason: "tool_use" }),
    result("t1", "a"),
  ]);
  const generation = trace?.observations.find(({ kind }) => kind === "generation");
  expect(generation?.output).toEqual({
    kind: "messages",
    messages: [
      {
        role: "assistant",
        stopReason: "tool_use",
        parts: [
          { kind: "reasoning", text: "I should look." },
          { kind: "text", text: "Looking." },
          { kind: "toolCall", id: "t1", name: "Bash", input: { command: "ls" } },
        ],
      },
    ],
  });
});

describe("beside answers and tools there are observations of", () => {
  const kinds = (rows: Parameters<typeof tracesOf>[0]) =>
    tracesOf(rows).flatMap(({ observations }) =>
      observations.map(({ kind, name, level }) => `${kind} ${name} ${level}`),
    );

  test("a message that a person typed meanwhile", () => {
    expect(kinds(TWO_TURNS)).toContain("followUp follow-up DEFAULT");
  });

  test("a compaction", () => {
    expect(
      kinds([prompt("look"), answer("seen"), ...[compaction()].flat(), prompt("go on"), answer("done")]),
    ).toContain("compaction compaction DEFAULT");
  });

  test("a hook that stopped something, below the call that it stopped", () => {
    const blocked = {
      type: "attachment",
      attachment: {
        type: "hook_blocking_error",
        hookName: "PostToolUse:Write",
        hookEvent: "PostToolUse",
        toolUseID: "t1",
        blockingError: { blockingError: "[check]: not allowed here", command: "check" },
      },
    };
    const [trace] = tracesOf([
      prompt("go"),
      call("t1", "Write", { file_path: "/a" }),
      result("t1", "ok"),
      blocked,
      answer("done"),
    ]);
    const [tool, hook] = ["tool", "hook"].map((kind) => trace?.observations.find((it) => it.kind === kind));
    expect(hook).toMatchObject({
      name: "PostToolUse:Write",
      level: "WARNING",
      parentSpanId: tool?.spanId,
      statusMessage: "PostToolUse:Write hook blocked: not allowed here",
    });
  });

  const stopHooks = (commands: readonly string[], hookErrors: readonly string[] = []) => ({
    ...{ type: "system", subtype: "stop_hook_summary", hookCount: commands.length, hookErrors },
    hookInfos: commands.map((command) => ({ command, durationMs: 60 })),
  });
  const OWN = '"/usr/bin/node" "/usr/lib/node_modules/turnlog/dist/bin.js" hook';

  test.each([
    ["turnlog's own", stopHooks([OWN]), []],
    ["turnlog's own, called by name", stopHooks(["turnlog hook --sync"]), []],
    ["turnlog's own, that failed", stopHooks([OWN], ["no such file"]), ["hook Stop WARNING"]],
    ["another beside it", stopHooks([OWN, "notify-send done"]), ["hook Stop DEFAULT"]],
    ["one of unknown name", stopHooks([]), ["hook Stop DEFAULT"]],
  ])("a hook of the end of a turn, but not turnlog's: %s", (_, summary, expected) => {
    const shown = kinds([prompt("go"), answer("done"), summary]);
    expect(shown.filter((kind) => kind.startsWith("hook"))).toEqual(expected);
  });

  test("a request that was sent again, as an event of its answer", () => {
    const failed = at(1, {
      type: "system",
      subtype: "api_error",
      error: { status: 529, message: "Overloaded" },
      retryAttempt: 1,
      retryInMs: 500,
    });
    const [trace] = tracesOf([at(0, prompt("go")), failed, at(4, answer("done"))]);
    expect(trace?.observations.find(({ kind }) => kind === "generation")?.events).toMatchObject([
      { name: "retry", attributes: { status: 529, attempt: 1, wait_ms: 500 }, content: "Overloaded" },
    ]);
  });
});
