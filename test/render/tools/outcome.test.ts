import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { languageOf } from "../../../src/render/tools/language-of.js";
import { viewTool } from "../../../src/render/tools/view-tool.js";
import { runs } from "../../runs.js";
import { madeCall } from "./made-call.js";
import { recordedCalls } from "./recorded-calls.js";

const TOOLS = [
  ...[
    "Bash",
    "BashOutput",
    "TaskOutput",
    "AgentOutputTool",
    "KillShell",
    "TaskStop",
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
  ],
  ...["NotebookEdit", "Glob", "Grep", "Task", "Agent", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"],
  ...["WebFetch", "WebSearch", "web_search", "AskUserQuestion", "ExitPlanMode", "EnterPlanMode", "Skill"],
  ...["SlashCommand", "LSP", "mcp__server__tool", "mcp__", "Invented", "constructor", "__proto__", ""],
];

describe("every view shows how a call ended", () => {
  test.each(TOOLS)("%s", (name) => {
    const failed = (content: string, data?: unknown) => viewTool(madeCall(name, {}, { content, data, isError: true }));
    expect(failed("<tool_use_error>no such file</tool_use_error>").parts).toContainEqual({
      kind: "text",
      text: "no such file",
      label: "error",
      isError: true,
    });
    expect(failed("stop", "User rejected tool use").parts).toContainEqual({
      kind: "text",
      text: "stop",
      label: "denied by the user",
      isError: true,
    });
    expect(failed("[Tool call interrupted: resumed]").parts).toContainEqual({
      kind: "text",
      text: "[Tool call interrupted: resumed]",
      label: "interrupted",
      isError: true,
    });
    expect(viewTool(madeCall(name, {})).parts).toContainEqual({
      kind: "text",
      text: "no result was recorded",
      label: "unknown",
    });
    const persisted =
      "<persisted-output>\nToo large. Full output saved to: /x/y.txt\n\nPreview (first 2KB):\nabc\n</persisted-output>";
    expect(viewTool(madeCall(name, {}, { content: persisted })).parts).toContainEqual({
      kind: "text",
      text: "/x/y.txt",
      label: "full output",
    });
  });

  test("of output that was too large the beginning is shown without its frame", () => {
    const content =
      "<persisted-output>\nToo large. Full output saved to: /x\n\nPreview (first 2KB):\nabc\n</persisted-output>";
    expect(viewTool(madeCall("Bash", { command: "c" }, { content })).parts[1]).toEqual({
      kind: "code",
      text: "abc\n",
      language: null,
      label: "output",
    });
  });

  test("an error without words shows what came back instead", () => {
    const content = { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" };
    expect(viewTool(madeCall("web_search", {}, { content, isError: true })).parts).toEqual([
      { kind: "text", text: "no message was recorded", label: "error", isError: true },
      { kind: "json", value: [content], label: "result" },
    ]);
  });
});

/** Keys that views look for, so that random values get deep into them. */
const KEYS = [
  ...new Set(
    recordedCalls().flatMap(({ call }) => [call.input, call.resultData].flatMap((value) => Object.keys(Object(value)))),
  ),
  ...[
    "task",
    "tasks",
    "output",
    "results",
    "cells",
    "source",
    "outputs",
    "edits",
    "lines",
    "answers",
    "annotations",
    "pr",
  ],
].filter((key) => !/^\d+$/.test(key));
const { anything } = fc.letrec<{ anything: unknown }>((tie) => ({
  anything: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom("text", "image", "notebook", "count", "content", "create", "completed", "async_launched", "delete"),
    fc.array(tie("anything"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie("anything"), { maxKeys: 8 }),
  ),
}));

test("whatever a client wrote, there is a view, and its title has one line at most", () => {
  const anyCall = fc.tuple(fc.constantFrom(...TOOLS), anything, anything, anything, fc.boolean());
  fc.assert(
    fc.property(anyCall, ([name, input, content, data, isError]) => {
      const { title, parts } = viewTool(madeCall(name, input, { content, data, isError }));
      expect(title).toMatch(/^(\S(.*\S)?)?$/);
      expect(parts.every(({ kind }) => typeof kind === "string")).toBe(true);
    }),
    runs(2000),
  );
});

test("a failure of any kind of call is marked as one", () => {
  const anyCall = fc.tuple(fc.constantFrom(...TOOLS), anything, fc.string(), anything);
  fc.assert(
    fc.property(anyCall, ([name, input, content, data]) => {
      const { parts } = viewTool(madeCall(name, input, { content, data, isError: true }));
      expect(parts.some((part) => "isError" in part)).toBe(true);
    }),
    runs(500),
  );
});

test.each([
  ["/src/a.ts", "typescript"],
  ["C:\\src\\App.TSX", "tsx"],
  ["Dockerfile.dev", "dockerfile"],
  [".env.local", "ini"],
  ["tsconfig.build.json", "jsonc"],
  ["Makefile", "makefile"],
  ["a.b/c", null],
  ["a.constructor", null],
  ["", null],
])("%s is written in %s", (path, language) => {
  expect(languageOf(path)).toBe(language);
});
