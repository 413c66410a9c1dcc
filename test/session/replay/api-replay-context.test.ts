import { describe, expect, test } from "vitest";
import { RecordReader } from "../../../src/format/reader/record-reader.js";
import type { LogRecord } from "../../../src/format/record/record.js";
import { openSession } from "../../../src/session/open-session.js";
import { replayOutline, toApiMessages } from "../../../src/session/replay/api-replay.js";
import { selectReplay } from "../../../src/session/replay/select-replay.js";
import { indexBodies } from "../../../src/session/turns/build-turn.js";
import {
  assistant,
  attachment,
  callBlock,
  prompt,
  type Row,
  resultBlock,
  session,
  sessionText,
  system,
  textBlock,
  thinkingBlock,
} from "../../builders/session-builder.js";
import { replay, reportOf } from "./replay-in-short.js";

describe("attachments", () => {
  const rendered = (words: string, role?: string) => ({ rendered: [{ content: words }], renderedRole: role });
  const reminder = (words: string) => `<system-reminder>\n${words}\n</system-reminder>`;

  test("what was rendered for the user stands before the prompt that it hangs on", () => {
    const lines = [
      prompt("go"),
      attachment("session_context", {}, rendered("context", "user")),
      assistant("m1", [textBlock("done")]),
    ];
    expect(replay(...lines)).toEqual(["user: context | go", "assistant: done"]);
  });

  test.each<[string, Row]>([
    ["hook_additional_context", { content: ["words"] }],
    ["hook_blocking_error", { blockingError: { blockingError: "words" } }],
    ["hook_stopped_continuation", { message: "words" }],
    ["instructions", { files: [{ path: "CLAUDE.md", content: "words" }] }],
    ["invoked_skills", { skills: [{ name: "s", content: "words" }] }],
    ["mcp_instructions_delta", { addedBlocks: ["words"] }],
    ["mcp_resource", { content: { contents: [{ text: "words" }] } }],
    ["nested_memory", { path: "CLAUDE.md", content: { content: "words" } }],
    ["plan_file_reference", { planContent: "words" }],
    ["edited_text_file", { filename: "a.txt", snippet: "words" }],
    ["relevant_memories", { memories: [{ content: "words" }] }],
    ["context_sections", { sections: [{ text: "words" }] }],
    ["teammate_mailbox", { messages: [{ text: "words" }] }],
    ["task_status", { deltaSummary: "words" }],
  ])("the text of %s is known where nothing was rendered", (type, fields) => {
    const lines = [prompt("go"), attachment(type, fields), assistant("m1", [textBlock("done")])];
    expect(replay(...lines)).toEqual([`user: ${reminder("words")} | go`, "assistant: done"]);
  });

  test("what was rendered for the system joins the user's message, or makes its own where the model takes it", () => {
    const date = attachment("date", {}, rendered(reminder("It is Monday."), "system"));
    const mode = attachment("plan_mode", {}, rendered(reminder("Plan."), "system"));
    const records = session(prompt("go"), date, mode, assistant("m1", [textBlock("done")]));
    expect(toApiMessages(records).messages[0]?.content).toEqual([
      textBlock(`${reminder("It is Monday.")}\n`),
      textBlock(`${reminder("Plan.")}\n`),
      textBlock("go"),
    ]);
    expect(toApiMessages(records, { systemRole: "separate" }).messages.slice(0, 2)).toEqual([
      { role: "user", content: [textBlock("go")] },
      { role: "system", content: [textBlock("It is Monday.\n\nPlan.")] },
    ]);
  });

  test("a message typed while the model worked comes after the results", () => {
    const queued = attachment("queued_command", { prompt: "also this" });
    const lines = [prompt("go"), assistant("m1", [callBlock("a")]), queued, prompt([resultBlock("a")])];
    expect(replay(...lines)[2]).toBe("user: result a | The user sent a new message while you were working:\nalso this");
  });

  test("its rendered form counts, without the tags of a reminder", () => {
    const queued = attachment("queued_command", { prompt: "x" }, rendered(reminder("The user says x"), "system"));
    expect(replay(prompt("go"), queued)).toEqual(["user: go | The user says x"]);
  });

  test("of attachments that were not rendered, only files say something", () => {
    const file = attachment("file", { displayPath: "a.txt", content: { type: "text", file: { content: "alpha" } } });
    const lines = [prompt("go"), file, attachment("skill_listing", { content: "skills" })];
    expect(replay(...lines)).toEqual([`user: ${reminder("Contents of a.txt:\nalpha")} | go`]);
    expect(reportOf(...lines)).toEqual(["silent-attachment 3"]);
  });
});

describe("compaction", () => {
  const summary = (words: string, fields: Row = {}) => prompt(words, { isCompactSummary: true, ...fields });
  const boundary = (metadata: Row, fields: Row = {}) =>
    system("compact_boundary", { parentUuid: null, compactMetadata: metadata, ...fields });

  test("the messages start with the last summary", () => {
    const lines = [
      prompt("old"),
      boundary({}, { logicalParentUuid: "u1" }),
      summary("summary one"),
      prompt("middle"),
      boundary({}, { logicalParentUuid: "u4" }),
      summary("summary two"),
      prompt("new"),
    ];
    expect(replay(...lines)).toEqual(["user: summary two | new"]);
    expect(toApiMessages(session(...lines)).report.compactionLine).toBe(6);
  });

  test("kept records come after the summary, with the rest of their message and its results", () => {
    const lines = [
      prompt("old"),
      assistant("m1", [thinkingBlock("hm")]),
      assistant("m1", [callBlock("a")]),
      assistant("m1", [callBlock("b")]),
      prompt([resultBlock("a")], { parentUuid: "u3" }),
      prompt([resultBlock("b")], { parentUuid: "u4" }),
      boundary({ preservedMessages: { uuids: ["u4", "u6", "gone"] } }, { logicalParentUuid: "u6" }),
      summary("summary"),
      prompt("new"),
    ];
    expect(replay(...lines)).toEqual([
      "user: summary",
      "assistant: (hm) | call a | call b",
      "user: result a | result b | new",
    ]);
    expect(reportOf(...lines)).toEqual(["missing-preserved 8"]);
  });

  test("a kept segment is the chain from its tail up to its head", () => {
    const lines = [
      prompt("old"),
      assistant("m1", [textBlock("one")]),
      prompt("two"),
      assistant("m2", [textBlock("three")]),
      boundary({ preservedSegment: { headUuid: "u2", tailUuid: "u4" } }, { logicalParentUuid: "u4" }),
      summary("summary"),
      prompt("new"),
    ];
    expect(replay(...lines)).toEqual(["user: summary", "assistant: one", "user: two", "assistant: three", "user: new"]);
  });

  test("attachments between a boundary and its summary are read before it, and what was kept after it", () => {
    const lines = [
      prompt("old"),
      assistant("m1", [textBlock("one")]),
      prompt("pending"),
      boundary({ preservedMessages: { anchorUuid: "u7", uuids: ["u3"] } }, { logicalParentUuid: "u3" }),
      attachment("environment", {}, { rendered: [{ content: "context" }], renderedRole: "user" }),
      attachment("skill_listing"),
      summary("summary"),
      assistant("m2", [textBlock("two")]),
    ];
    expect(replay(...lines)).toEqual(["user: context | summary | pending", "assistant: two"]);
    expect(toApiMessages(session(...lines)).report.compactionLine).toBe(7);
  });

  test("a summary without boundary starts the messages too", () => {
    expect(replay(prompt("old"), summary("summary", { parentUuid: null }), prompt("new"))).toEqual([
      "user: summary | new",
    ]);
  });

  test("a result whose call was compacted away is dropped", () => {
    const lines = [
      prompt("old"),
      assistant("m1", [callBlock("a")]),
      summary("summary", { parentUuid: null }),
      prompt([resultBlock("a")]),
      prompt("new"),
    ];
    expect(replay(...lines)).toEqual(["user: summary | new"]);
    expect(reportOf(...lines)).toEqual(["orphan-result 4"]);
  });
});

test("only the bodies of the selection are needed", () => {
  const records = session(
    prompt("old"),
    prompt("summary", { isCompactSummary: true, parentUuid: null }),
    prompt("new"),
  );
  const open = openSession();
  for (const record of records) open.push(record);
  const outline = open.view();
  const lines = new Set(selectReplay(outline).nodes.map(({ line }) => line));
  const bodies = indexBodies(records.filter(({ line }) => lines.has(line)));
  expect([...lines]).toEqual([2, 3]);
  expect(replayOutline(outline, bodies)).toEqual(toApiMessages(records));
});

/** As a large file is read: in pieces smaller than its long lines. */
function readWithLimit(content: string, maxLineBytes: number): LogRecord[] {
  const reader = new RecordReader({ maxLineBytes });
  const pieces = content.match(/[\s\S]{1,1000}/g) ?? [];
  return [...pieces.flatMap((piece) => reader.push(Buffer.from(piece))), ...reader.end()];
}

test("of a line too long to be read as a whole, no picture and no signature is sent", () => {
  const long = "x".repeat(5000);
  const lines = [
    prompt([textBlock("go"), { type: "image", source: { type: "base64", media_type: "image/png", data: long } }]),
    assistant("m1", [thinkingBlock(long), textBlock("done")]),
  ];
  const { messages, report } = toApiMessages(readWithLimit(sessionText(...lines), 4000));
  expect(messages.map(({ content }) => content)).toEqual([[textBlock("go")], [textBlock("done")]]);
  expect([...report.repaired, ...report.dropped]).toEqual([
    { kind: "cut-record", count: 2, lines: [1, 2] },
    { kind: "cut-block", count: 2, lines: [1, 2] },
  ]);
});
