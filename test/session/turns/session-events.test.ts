import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseRecords, readRecords } from "../../../src/format/reader/record-reader.js";
import { describeSession } from "../../../src/session/describe-session.js";
import { isFailed, toEvents } from "../../../src/session/turns/session-events.js";
import { answer, assistant, call, chain, prompt, type Row, result, toLines } from "../../builders/session-builder.js";
import { CORPUS, corpusSessions } from "../../oracle/corpus-sessions.js";

function eventsOf(rows: readonly Row[]) {
  return [...toEvents(describeSession(parseRecords(toLines(rows))))];
}

const brief = (rows: readonly Row[]) => eventsOf(rows).map(({ type, input }) => `${type}: ${input}`);

describe("events", () => {
  test("stand in the order of the conversation", () => {
    const rows = chain(
      prompt("count the files"),
      assistant("m1", [{ type: "text", text: "I look." }], { stopReason: "tool_use" }),
      assistant("m1", [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } }], {
        stopReason: "tool_use",
      }),
      result("t1", "a\nb"),
      answer("Two."),
      prompt("thanks"),
    );
    expect(brief(rows)).toEqual([
      "user: count the files",
      "assistant: I look.",
      "tool_use: ls",
      "assistant: Two.",
      "user: thanks",
    ]);
  });

  test("of a tool call carry its summary, its result and its duration", () => {
    const input = { command: "ls", description: "list" };
    const [, event] = eventsOf(chain(prompt("go"), call("t1", "Bash", input), result("t1", "a")));
    expect(event).toEqual({
      timestamp: "2026-01-01T00:00:01.000Z",
      type: "tool_use",
      tool: "Bash",
      toolUseId: "t1",
      input: "ls # list",
      output: "a",
      durationMs: 1000,
      success: true,
      errorMsg: null,
    });
  });

  test("of a failed call say what went wrong without the tag around it", () => {
    const failure = "<tool_use_error>File does not exist.</tool_use_error>";
    const rows = chain(prompt("go"), call("t1", "Read", { file_path: "/x" }), result("t1", failure, { isError: true }));
    expect(eventsOf(rows).filter(isFailed)).toMatchObject([
      { type: "tool_use", tool: "Read", success: false, output: failure, errorMsg: "File does not exist." },
    ]);
  });

  test("of a call without result leave its success open", () => {
    const events = eventsOf(chain(prompt("go"), call("t1", "Read", { file_path: "/x" })));
    expect(events[1]).toMatchObject({ type: "tool_use", success: null, output: null, errorMsg: null });
    expect(events.filter(isFailed)).toEqual([]);
  });

  test("of an API error and of a result without call are errors", () => {
    const rows = chain(
      prompt("go"),
      result("nobody", "lost"),
      assistant("e1", [{ type: "text", text: "API Error: 529" }], {
        stopReason: "stop_sequence",
        isApiErrorMessage: true,
      }),
    );
    expect(eventsOf(rows).filter(isFailed)).toMatchObject([
      { type: "error", toolUseId: "nobody", output: "lost", errorMsg: "lost" },
      { type: "error", toolUseId: null, errorMsg: "API Error: 529" },
    ]);
  });

  test("include what was typed while the model worked, where it was typed", () => {
    const queued = { type: "queued_command", prompt: "and the tests", humanTurn: true, commandMode: "prompt" };
    const rows = chain(
      prompt("go"),
      call("t1", "Bash", { command: "make" }),
      result("t1", "ok"),
      { type: "attachment", attachment: queued },
      answer("Done."),
    );
    expect(brief(rows)).toEqual(["user: go", "tool_use: make", "user: and the tests", "assistant: Done."]);
  });

  test("include local commands with what they printed", () => {
    const rows = chain(
      prompt("go"),
      answer("Done."),
      prompt("<bash-input>ls</bash-input>"),
      prompt("<bash-stdout>a.txt</bash-stdout><bash-stderr></bash-stderr>"),
    );
    expect(eventsOf(rows).at(-1)).toMatchObject({ type: "user", input: "ls", output: "a.txt" });
  });

  test("include a notification that the model answered", () => {
    const notice = "<task-notification><task-id>b1</task-id><summary>Build finished</summary></task-notification>";
    const rows = chain(prompt("go"), answer("Started."), prompt(notice), answer("It is built."));
    expect(brief(rows)).toEqual(["user: go", "assistant: Started.", "user: Build finished", "assistant: It is built."]);
  });

  test("leave out empty text and what the client said in the model's place", () => {
    const filler = [{ type: "text", text: "No response requested." }];
    const synthetic = { type: "assistant", message: { id: "s", model: "<synthetic>", content: filler } };
    const rows = chain(
      prompt("go"),
      assistant("m1", [{ type: "text", text: " " }], { stopReason: "end_turn" }),
      synthetic,
    );
    expect(brief(rows)).toEqual(["user: go"]);
  });

  test("can be taken before later turns are built", () => {
    const { turns } = describeSession(parseRecords(toLines(chain(prompt("one"), prompt("two")))));
    function* untilSecond() {
      yield* turns.slice(0, 1);
      throw new Error("built too early");
    }
    expect(toEvents({ turns: untilSecond() }).next().value).toMatchObject({ input: "one" });
  });
});

describe("every recorded session", () => {
  test.each(corpusSessions())("has an event for each call, API error and orphan result: %s", (name) => {
    const session = describeSession([...readRecords(join(CORPUS, name))]);
    const events = [...toEvents(session)];
    const { toolCalls, apiErrors, orphanToolResults } = session.totals;
    expect(events.filter(({ type }) => type === "tool_use")).toHaveLength(toolCalls);
    expect(events.filter(({ type }) => type === "error")).toHaveLength(apiErrors + orphanToolResults);
  });
});
