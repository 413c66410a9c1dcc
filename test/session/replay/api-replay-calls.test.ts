import { describe, expect, test } from "vitest";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { toApiMessages } from "../../../src/session/replay/api-replay.js";
import {
  assistant,
  callBlock,
  prompt,
  resultBlock,
  session,
  textBlock,
  thinkingBlock,
} from "../../builders/session-builder.js";
import { apiProblems } from "./api-rules.js";
import { replay, reportOf } from "./replay-in-short.js";

describe("calls and results", () => {
  test("all results follow their message at once, in the order of the calls, before any text", () => {
    const lines = [
      prompt("go"),
      assistant("m1", [callBlock("a")]),
      prompt([resultBlock("a"), textBlock("note")]),
      assistant("m1", [callBlock("b")]),
      assistant("m1", [callBlock("c")]),
      prompt([resultBlock("c")]),
      prompt([resultBlock("b")]),
      assistant("m2", [textBlock("done")]),
    ];
    expect(replay(...lines)).toEqual([
      "user: go",
      "assistant: call a | call b | call c",
      "user: result a | result b | result c | note",
      "assistant: done",
    ]);
  });

  test("parallel results that hang beside each other are all there", () => {
    const lines = [
      prompt("go"),
      assistant("m1", [callBlock("a")]),
      assistant("m1", [callBlock("b")]),
      prompt([resultBlock("a")], { parentUuid: "u2" }),
      prompt([resultBlock("b")], { parentUuid: "u3" }),
      assistant("m2", [textBlock("done")]),
    ];
    expect(replay(...lines)[2]).toBe("user: result a | result b");
  });

  test("a call without result gets one that says so", () => {
    const lines = [prompt("go"), assistant("m1", [callBlock("a")]), prompt("next")];
    expect(replay(...lines)).toEqual(["user: go", "assistant: call a", "user: error a | next"]);
    expect(reportOf(...lines)).toEqual(["orphan-call 2"]);
  });

  test("a result without call is dropped", () => {
    expect(replay(prompt("go"), prompt([resultBlock("a"), textBlock("note")]))).toEqual(["user: go | note"]);
    expect(reportOf(prompt("go"), prompt([resultBlock("a")]))).toEqual(["orphan-result 2"]);
  });

  test("of several results the last that is no error counts", () => {
    const lines = [
      prompt("go"),
      assistant("m1", [callBlock("a")]),
      prompt([resultBlock("a", "denied", { is_error: true })]),
      prompt([resultBlock("a", "first")]),
      prompt([resultBlock("a", "second")]),
      prompt([resultBlock("a", "late failure", { is_error: true })]),
    ];
    expect(toApiMessages(session(...lines)).messages[2]?.content).toEqual([resultBlock("a", "second")]);
    expect(reportOf(...lines)).toEqual(["extra-result 3,4,6"]);
  });

  test("an id that a back end used again is made unique, with its own result", () => {
    const lines = [
      prompt("go"),
      assistant("m1", [callBlock("a")]),
      prompt([resultBlock("a")]),
      assistant("m2", [callBlock("a")]),
      prompt([resultBlock("a")]),
      assistant("m3", [callBlock("a"), textBlock("done")]),
    ];
    expect(replay(...lines)).toEqual([
      "user: go",
      "assistant: call a",
      "user: result a",
      "assistant: call a_2",
      "user: result a_2",
      "assistant: done",
    ]);
    expect(reportOf(...lines)).toEqual(["renamed-call 4", "repeated-call 6"]);
  });

  test("ids, names and inputs that the API refuses are mended", () => {
    const lines = [
      prompt("go"),
      assistant("m1", [callBlock("a.b:1", "raw", "mcp tool")]),
      prompt([resultBlock("a.b:1")]),
    ];
    const { messages } = toApiMessages(session(...lines));
    expect(messages[1]?.content).toEqual([callBlock("a_b_1", { value: "raw" }, "mcp_tool")]);
    expect(messages[2]?.content).toEqual([resultBlock("a_b_1", "done a.b:1")]);
    expect(reportOf(...lines)).toEqual(["renamed-call 2", "renamed-tool 2", "repaired-input 2"]);
  });

  test.each([
    ["nothing", null, {}, undefined],
    ["empty blocks", [textBlock(""), "words"], {}, [textBlock("words")]],
    ["a number", 7, {}, "7"],
    ["a silent error", "", { is_error: true }, "(The tool failed without a message.)"],
    [
      "a picture in an error",
      [textBlock("no"), { type: "image", source: { type: "url", url: "x" } }],
      { is_error: true },
      [textBlock("no")],
    ],
  ])("a result with %s is made acceptable", (_name, content, fields, sent) => {
    const records = session(
      prompt("go"),
      assistant("m1", [callBlock("a")]),
      prompt([resultBlock("a", content, fields)]),
    );
    const { messages } = toApiMessages(records);
    expect(messages[2]?.content[0]?.["content"]).toEqual(sent);
    expect(apiProblems(messages)).toEqual([]);
  });

  test("half a character is replaced in text and input; thinking with one cannot be sent", () => {
    const lines = [
      prompt("a\ud83d"),
      assistant("m1", [thinkingBlock("b\ud83d"), callBlock("a", { "k\udc00": ["\ud83d"] })]),
    ];
    const { messages } = toApiMessages(session(...lines));
    expect(messages.slice(0, 2).map(({ content }) => content)).toEqual([
      [textBlock("a\ufffd")],
      [callBlock("a", { "k\ufffd": ["\ufffd"] })],
    ]);
    expect(reportOf(...lines)).toEqual(["orphan-call 2", "repaired-text 1,2", "unusable-block 2"]);
  });
});

test("an input nested without end is cut off, so that the messages can be written", () => {
  const deep = `{"uuid":"u1","type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"a","name":"x","input":{"k":${"[".repeat(9000)}${"]".repeat(9000)}}}]}}`;
  const { messages, report } = toApiMessages(parseRecords(deep));
  expect(JSON.stringify(messages)).toContain("[[null]]");
  expect(report.repaired.map(({ kind }) => kind)).toContain("repaired-text");
});
