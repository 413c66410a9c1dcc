import { describe, expect, test } from "vitest";
import { viewTool } from "../../../src/render/tools/view-tool.js";
import { madeCall } from "./made-call.js";

describe("Bash", () => {
  const input = { command: "make" };
  const command = { kind: "code", text: "make", language: "bash" };

  test("both streams are separate, and the meaning of an exit code is shown", () => {
    const data = { stdout: "out", stderr: "warning", interrupted: false, returnCodeInterpretation: "No matches found" };
    expect(viewTool(madeCall("Bash", input, { content: "out\nwarning", data }))).toEqual({
      title: "make",
      parts: [
        command,
        { kind: "code", text: "out", language: null, label: "output" },
        { kind: "code", text: "warning", language: null, label: "stderr" },
        { kind: "text", text: "No matches found", label: "exit code" },
      ],
    });
  });

  test("a command of many lines has a title of one", () => {
    const call = madeCall("Bash", { command: "cat <<E\n  a\nE", description: "Print" }, { content: "a" });
    expect(viewTool(call).title).toBe("cat <<E a E # Print");
  });

  test("a title ends before it becomes a page", () => {
    expect(viewTool(madeCall("Bash", { command: "x".repeat(100_000) })).title).toHaveLength(300);
  });

  test("a printed picture is a picture, not its letters", () => {
    const data = { stdout: "data:image/png;base64,QQ==\n", stderr: "", isImage: true };
    const content = [{ type: "image", source: { type: "base64", media_type: "image/png", data: "QQ==" } }];
    const parts = [command, { kind: "image", mediaType: "image/png", base64: "QQ==" }];
    expect(viewTool(madeCall("Bash", input, { content, data })).parts).toEqual(parts);
    expect(viewTool(madeCall("Bash", input, { content: "", data })).parts).toEqual(parts);
  });

  test("a command that was stopped shows what it had printed as such", () => {
    const data = { stdout: "half", stderr: "", interrupted: true };
    expect(viewTool(madeCall("Bash", input, { content: "half", data })).parts).toEqual([
      command,
      { kind: "text", text: "half", label: "interrupted", isError: true },
    ]);
  });
});

describe("BashOutput and TaskOutput", () => {
  test("the structured result of a shell", () => {
    const data = { shellId: "b1", command: "make", status: "completed", exitCode: 2, stdout: "a", stderr: "b" };
    expect(viewTool(madeCall("BashOutput", { bash_id: "b1" }, { content: "…", data }))).toEqual({
      title: "output of b1",
      parts: [
        { kind: "text", text: "make, completed, exit code 2", label: "task" },
        { kind: "code", text: "a", language: null, label: "output" },
        { kind: "code", text: "b", language: null, label: "stderr" },
      ],
    });
  });

  test("the structured result of a task", () => {
    const task = { task_id: "b1", status: "running", description: "Build", output: "a" };
    const data = { retrieval_status: "success", task };
    expect(viewTool(madeCall("TaskOutput", { task_id: "b1" }, { content: "…", data })).parts).toEqual([
      { kind: "text", text: "Build, running", label: "task" },
      { kind: "code", text: "a", language: null, label: "output" },
    ]);
  });

  test("the text for the model, if there is no structured result", () => {
    const content = "<status>failed</status>\n\n<exit_code>1</exit_code>\n\n<stdout>\na\n</stdout>";
    expect(viewTool(madeCall("BashOutput", { bash_id: "b1" }, { content })).parts).toEqual([
      { kind: "text", text: "failed, exit code 1", label: "task" },
      { kind: "code", text: "a", language: null, label: "output" },
    ]);
    expect(viewTool(madeCall("TaskOutput", { task_id: "b1" }, { content: "nothing yet" })).parts).toEqual([
      { kind: "text", text: "nothing yet" },
    ]);
  });
});

describe("tools of which one word says it all", () => {
  test.each([
    ["KillShell", { shell_id: "b1" }, "stop b1"],
    ["TaskStop", { task_id: "b1" }, "stop b1"],
    ["Skill", { skill: "review", args: "--all" }, "review --all"],
    ["SlashCommand", { command: "/review 7" }, "/review 7"],
    ["EnterPlanMode", {}, "plan mode"],
    ["ExitWorktree", { action: "keep" }, "keep"],
    ["ToolSearch", { query: "notebook" }, "notebook"],
    ["SendMessage", { to: "a1", message: "go on" }, "to a1"],
    ["Monitor", { description: "the build" }, "the build"],
    ["LSP", { operation: "hover", filePath: "/a.ts", line: 3, character: 5 }, "hover /a.ts:3:5"],
  ])("%s %j is titled %s", (name, input, title) => {
    expect(viewTool(madeCall(name, input, { content: "done" }))).toMatchObject({ title });
  });
});
