import { describe, expect, test } from "vitest";
import { toApiMessages } from "../../../src/session/replay/api-replay.js";
import {
  assistant,
  callBlock,
  prompt,
  resultBlock,
  session,
  system,
  textBlock,
  thinkingBlock,
} from "../../builders/session-builder.js";
import { replay, reportOf } from "./replay-in-short.js";

describe("what is sent", () => {
  test("a prompt, and one message of all the records that share its id", () => {
    const lines = [prompt("go"), assistant("m1", [thinkingBlock("hm")]), assistant("m1", [textBlock("done")])];
    expect(replay(...lines)).toEqual(["user: go", "assistant: (hm) | done"]);
  });

  test("thinking verbatim, with its signature", () => {
    const blocks = [thinkingBlock("hm", "c2ln"), { type: "redacted_thinking", data: "xyz" }, textBlock("done")];
    const { messages } = toApiMessages(session(prompt("go"), assistant("m1", blocks)));
    expect(messages[1]?.content).toEqual(blocks);
  });

  test("what the client put in: meta text, command wrappers, interrupts, notifications", () => {
    const texts = [
      "<command-name>/x</command-name>",
      "[Request interrupted by user]",
      "<task-notification>n</task-notification>",
    ];
    const lines = [prompt("caveat", { isMeta: true }), ...texts.map((it) => prompt(it)), prompt("go")];
    expect(replay(...lines)).toEqual([`user: caveat | ${texts.join(" | ")} | go`]);
  });

  test("what was said on a voice call, as the result of a call that nobody asked for: it is no prompt", () => {
    const spoken = system("voice_call_talk", { content: "and then?", isMeta: true, origin: { kind: "voice-call" } });
    const lines = [prompt("go"), assistant("m1", [textBlock("one")]), spoken, assistant("m2", [textBlock("two")])];
    const { messages, report } = toApiMessages(session(...lines));
    const id = expect.stringMatching(/^voicecallrecord_/);
    expect(messages.slice(2)).toMatchObject([
      {
        role: "user",
        content: [{ text: expect.stringMatching(/^<system-reminder>\n[\s\S]*said aloud[\s\S]*<\/system-reminder>$/) }],
      },
      { role: "assistant", content: [{ type: "tool_use", id, name: "VoiceCallRecord", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: id, content: expect.stringContaining("and then?") }],
      },
      { role: "assistant", content: [textBlock("two")] },
    ]);
    expect([...report.repaired, ...report.dropped]).toEqual([]);
  });

  test("local commands that stand in system records", () => {
    const lines = [system("local_command", { content: "<command-name>/rename</command-name>" }), prompt("go")];
    expect(replay(...lines)).toEqual(["user: <command-name>/rename</command-name> | go"]);
  });

  test("pictures and documents, without marks of the cache", () => {
    const source = { type: "base64", media_type: "image/png", data: "AAAA" };
    const image = { type: "image", source };
    const records = session(prompt([{ ...image, cache_control: { type: "ephemeral" } }, textBlock("look")]));
    expect(toApiMessages(records).messages[0]?.content).toEqual([image, textBlock("look")]);
  });

  test("blocks without the fields that only the file knows", () => {
    const extra = { cache_control: { type: "ephemeral" }, note: "ours" };
    const lines = [
      prompt([{ ...textBlock("go"), ...extra }]),
      assistant("m1", [{ ...callBlock("a"), ...extra }]),
      prompt([{ ...resultBlock("a"), ...extra }]),
    ];
    expect(toApiMessages(session(...lines)).messages.map(({ content }) => content)).toEqual([
      [textBlock("go")],
      [callBlock("a")],
      [resultBlock("a")],
    ]);
  });

  test("a newline after a text that another record's text follows", () => {
    const { messages } = toApiMessages(
      session(prompt("one"), prompt([textBlock("two"), textBlock("three")]), prompt("four")),
    );
    expect(messages[0]?.content).toEqual([
      textBlock("one\n"),
      textBlock("two"),
      textBlock("three\n"),
      textBlock("four"),
    ]);
  });

  test("blocks of tools that the API ran itself, as they came", () => {
    const blocks = [
      { type: "server_tool_use", id: "srv1", name: "web_search", input: { query: "x" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srv1",
        content: [{ type: "web_search_result", encrypted_content: "e" }],
      },
      textBlock("found"),
    ];
    const { messages } = toApiMessages(session(prompt("go"), assistant("m1", blocks)));
    expect(messages[1]?.content).toEqual(blocks);
  });

  test("nothing for a session in which nobody spoke", () => {
    expect(toApiMessages(session())).toEqual({
      messages: [],
      report: { compactionLine: null, repaired: [], dropped: [], leftOut: [] },
    });
  });
});

describe("what is not sent", () => {
  test("but the answer that Claude Code puts after a history without one is sent", () => {
    const message = { id: "s", model: "<synthetic>", content: [textBlock("No response requested.")] };
    const lines = [prompt("go"), { type: "assistant", message }, prompt("on")];
    expect(replay(...lines)).toEqual(["user: go", "assistant: No response requested.", "user: on"]);
  });

  test("synthetic answers and API errors", () => {
    const synthetic = {
      type: "assistant",
      message: { id: "s", model: "<synthetic>", content: [textBlock("Prompt is too long")] },
    };
    const lines = [
      prompt("go"),
      synthetic,
      assistant("m1", [textBlock("API Error: 500")], { isApiErrorMessage: true }),
      prompt("on"),
    ];
    expect(replay(...lines)).toEqual(["user: go | on"]);
    expect(reportOf(...lines)).toEqual(["synthetic 2", "api-error 3"]);
  });

  test("progress, other system records and records of unknown types", () => {
    const lines = [
      prompt("go"),
      { type: "progress", data: {} },
      system("turn_duration", { durationMs: 1 }),
      { type: "novelty" },
      prompt("on"),
    ];
    expect(replay(...lines)).toEqual(["user: go | on"]);
    expect(reportOf(...lines)).toEqual(["progress 2", "system-record 3", "unknown-record 4"]);
  });

  test("what sub-agents said inside the file", () => {
    const lines = [
      prompt("go"),
      prompt("task", { isSidechain: true, parentUuid: null }),
      assistant("m1", [textBlock("done")], { parentUuid: "u1" }),
    ];
    expect(replay(...lines)).toEqual(["user: go", "assistant: done"]);
  });

  test("rewound branches, unless one is asked for", () => {
    const records = session(
      prompt("go"),
      assistant("m1", [textBlock("old")]),
      assistant("m2", [textBlock("new")], { parentUuid: "u1" }),
    );
    const spoken = (leaf?: string) => toApiMessages(records, leaf === undefined ? {} : { leaf }).messages[1]?.content;
    expect([spoken(), spoken("u2")]).toEqual([[textBlock("new")], [textBlock("old")]]);
  });

  test("empty texts, and messages of nothing else", () => {
    const lines = [
      prompt("go"),
      assistant("m1", [textBlock("\n\n"), callBlock("a")]),
      prompt([resultBlock("a")]),
      assistant("m2", [textBlock("")]),
      prompt("  "),
    ];
    expect(replay(...lines)).toEqual(["user: go", "assistant: call a", "user: result a"]);
    expect(reportOf(...lines)).toEqual(["empty-text 2,4,5"]);
  });

  test("unsigned thinking, the half-streamed call and nothing else of an aborted message", () => {
    const blocks = [thinkingBlock("hm", ""), textBlock("I will"), callBlock("a"), callBlock("b")];
    const lines = [prompt("go"), assistant("m1", blocks, { isAbortedMidStream: true }), prompt([resultBlock("a")])];
    expect(replay(...lines)).toEqual(["user: go", "assistant: I will | call a", "user: result a"]);
    expect(reportOf(...lines)).toEqual(["aborted-call 2", "unsigned-thinking 2"]);
  });

  test("a message of thinking alone, and thinking at the end of an answer", () => {
    const lines = [
      prompt("go"),
      assistant("m1", [thinkingBlock("a")]),
      assistant("m2", [textBlock("done"), thinkingBlock("b")]),
    ];
    expect(replay(...lines)).toEqual(["user: go", "assistant: done"]);
    expect(reportOf(...lines)).toEqual(["lone-thinking 2", "trailing-thinking 3"]);
  });

  test("a call that the API began to run itself, and its result without call", () => {
    const open = { type: "server_tool_use", id: "srv1", name: "web_search", input: {} };
    const lone = { type: "web_search_tool_result", tool_use_id: "srv2", content: [] };
    const lines = [prompt("go"), assistant("m1", [textBlock("I search"), open, lone])];
    expect(replay(...lines)).toEqual(["user: go", "assistant: I search"]);
    expect(reportOf(...lines)).toEqual(["unpaired-server-block 2,2"]);
  });

  test("blocks on the wrong side, or without what the API requires", () => {
    const lines = [
      prompt([textBlock("go"), callBlock("a"), { type: "image", source: {} }, { type: "novelty" }, 7]),
      assistant("m1", [textBlock("done"), { type: "image" }]),
    ];
    expect(replay(...lines)).toEqual(["user: go", "assistant: done"]);
    expect(reportOf(...lines)).toEqual(["misplaced-block 1,2", "unusable-block 1,1,1"]);
  });
});

describe("roles", () => {
  test("neighbours of one role become one message", () => {
    const lines = [prompt("a"), prompt("b"), assistant("m1", [textBlock("c")]), assistant("m2", [textBlock("d")])];
    expect(replay(...lines)).toEqual(["user: a | b", "assistant: c | d"]);
  });

  test("a conversation that begins with an answer gets an opening", () => {
    expect(replay(assistant("m1", [textBlock("hi")]))).toEqual([
      "user: (The beginning of this conversation was not recorded.)",
      "assistant: hi",
    ]);
    expect(reportOf(assistant("m1", [textBlock("hi")]))).toEqual(["missing-opening 0"]);
  });
});
