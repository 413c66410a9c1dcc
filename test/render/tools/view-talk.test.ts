import { describe, expect, test } from "vitest";
import { viewTool } from "../../../src/render/tools/view-tool.js";
import { madeCall } from "./made-call.js";

describe("Agent", () => {
  const input = { description: "Look", subagent_type: "Explore", prompt: "Look *well*" };
  const asked = [
    { kind: "agent", agentId: null, description: "Look" },
    { kind: "markdown", text: "Look *well*", label: "prompt" },
  ];

  test.each([
    ["2.1.45", "It is\n  fine.\nagentId: a1 (for resuming)\n<usage>total_tokens: 1</usage>", "It is\n  fine."],
    [
      "2.1.325",
      "  <x>\n[Subagent hand-back] The report follows:\n  It is\n    fine.\nagentId: a1\n<usage>1</usage>",
      "It is\n  fine.",
    ],
    ["1.0", "It is fine.", "It is fine."],
  ])("the report alone is the answer, without what client %s writes around it", (_version, content, text) => {
    expect(viewTool(madeCall("Agent", input, { content })).parts).toEqual([
      ...asked,
      { kind: "markdown", text, label: "answer" },
    ]);
  });

  test("a background launch shows how it ended", () => {
    const data = { isAsync: true, status: "async_launched", agentId: "a1", prompt: "p" };
    const call = madeCall("Task", { description: "Look" }, { content: "launched", data });
    const notification = { status: "failed", summary: "Agent failed", at: null, durationMs: 1500 };
    expect(viewTool({ ...call, notification }).parts).toEqual([
      { kind: "agent", agentId: "a1", description: "Look" },
      { kind: "markdown", text: "p", label: "prompt" },
      { kind: "text", text: "launched", label: "launched" },
      { kind: "text", text: "Agent failed (1.5 s)", label: "failed", isError: true },
    ]);
  });
});

describe("to-dos and tasks", () => {
  test("a list says how many items are done", () => {
    const todos = [
      { content: "a", status: "completed" },
      { content: "b", status: "in_progress" },
      { content: "c", status: "pending" },
      { status: "pending" },
    ];
    expect(viewTool(madeCall("TodoWrite", { todos }, { content: "ok" }))).toEqual({
      title: "1 of 3 done",
      parts: [
        {
          kind: "todos",
          items: [
            { text: "a", state: "done" },
            { text: "b", state: "active" },
            { text: "c", state: "open" },
          ],
        },
      ],
    });
  });

  test("a list that is only in the structured result", () => {
    const data = { oldTodos: [], newTodos: [{ content: "a", status: "completed" }] };
    expect(viewTool(madeCall("TodoWrite", {}, { content: "ok", data })).title).toBe("1 of 1 done");
    expect(viewTool(madeCall("TodoWrite", { todos: 3 }, { content: "ok" }))).toEqual({
      title: "todos",
      parts: [{ kind: "text", text: "ok" }],
    });
  });

  test("a new task has its number", () => {
    const data = { task: { id: "4", subject: "Write" } };
    const input = { subject: "Write", description: "All of *it*" };
    expect(viewTool(madeCall("TaskCreate", input, { content: "created", data }))).toEqual({
      title: "#4 Write",
      parts: [
        { kind: "todos", items: [{ text: "#4 Write", state: "open" }] },
        { kind: "markdown", text: "All of *it*", label: "description" },
      ],
    });
  });

  test("an update shows everything that changed", () => {
    const input = { taskId: "4", status: "completed", addBlocks: ["5"] };
    const data = { success: true, statusChange: { from: "pending", to: "completed" } };
    expect(viewTool(madeCall("TaskUpdate", input, { content: "Updated task #4", data }))).toEqual({
      title: "#4 pending → completed",
      parts: [
        { kind: "text", text: "5", label: "add blocks" },
        { kind: "text", text: "Updated task #4" },
      ],
    });
  });

  test("a list of tasks, and one of them", () => {
    const task = { id: "4", subject: "Write", status: "in_progress", description: "d" };
    const items = [{ text: "#4 Write", state: "active" }];
    expect(viewTool(madeCall("TaskList", {}, { content: "#4", data: { tasks: [task] } }))).toEqual({
      title: "1 task",
      parts: [{ kind: "todos", items }],
    });
    expect(viewTool(madeCall("TaskGet", { taskId: "4" }, { content: "#4", data: { task } }))).toEqual({
      title: "#4 Write",
      parts: [
        { kind: "todos", items },
        { kind: "markdown", text: "d", label: "description" },
      ],
    });
    expect(viewTool(madeCall("TaskList", {}, { content: "No tasks", data: { tasks: [] } }))).toEqual({
      title: "",
      parts: [{ kind: "text", text: "No tasks" }],
    });
  });
});

describe("AskUserQuestion", () => {
  const options = [{ label: "Red", description: "r" }, { label: "Blue" }];
  const input = { questions: [{ question: "Which?", options }] };

  test.each([
    [
      "several choices in one text",
      "Red, Blue",
      [
        ["Red", "r", "✓"],
        ["Blue", "", "✓"],
      ],
    ],
    [
      "several choices as a list",
      ["Blue"],
      [
        ["Red", "r", ""],
        ["Blue", "", "✓"],
      ],
    ],
    [
      "words of one's own",
      "teal, please",
      [
        ["Red", "r", ""],
        ["Blue", "", ""],
        ["teal, please", "", "✓"],
      ],
    ],
  ])("%s", (_name, answer, rows) => {
    const data = { answers: { "Which?": answer }, annotations: { "Which?": { notes: "not too dark" } } };
    expect(viewTool(madeCall("AskUserQuestion", input, { content: "answered", data }))).toEqual({
      title: "Which?",
      parts: [
        { kind: "table", head: ["Which?", "", "answer"], rows },
        { kind: "text", text: "not too dark", label: "note" },
      ],
    });
  });

  test("without recorded answers, the text for the model is shown", () => {
    expect(viewTool(madeCall("AskUserQuestion", input, { content: '"Which?"="Red"' })).parts[1]).toEqual({
      kind: "text",
      text: '"Which?"="Red"',
      label: "answer",
    });
  });
});

describe("ExitPlanMode", () => {
  const input = { plan: "\n## Do it\n\n1. now" };

  test.each([
    ["accepted", { content: "approved" }],
    ["rejected", { content: "no", data: "User rejected tool use", isError: true }],
    ["failed", { content: "no", isError: true }],
    ["proposed", {}],
  ])("a plan that was %s", (fate, cameBack) => {
    const { title, parts } = viewTool(madeCall("ExitPlanMode", input, cameBack));
    expect(title).toBe(`plan ${fate}: Do it`);
    expect(parts[0]).toEqual({ kind: "markdown", text: input.plan, label: "plan" });
  });

  test("a plan that is only in a file", () => {
    const data = { plan: "# P", filePath: "/plans/p.md" };
    expect(viewTool(madeCall("ExitPlanMode", {}, { content: "ok", data })).parts).toEqual([
      { kind: "markdown", text: "# P", label: "plan" },
      { kind: "text", text: "/plans/p.md", label: "file" },
      { kind: "text", text: "ok", label: "answer" },
    ]);
  });
});
