import { describe, expect, test } from "vitest";
import {
  answer,
  attachment,
  compactBoundary,
  continuing,
  inSidechain,
  progress,
  prompt,
  queuedPrompt,
  queueOperation,
  resultFor,
  toolUses,
  turnDuration,
  understand,
} from "../builders/session-builder.js";

const long = "a long message ".repeat(200);

describe("turns", () => {
  test("parallel results of one message are one turn, not branches", () => {
    const { turns, branches } = understand([
      prompt("go"),
      toolUses("a", "b"),
      continuing("u2", resultFor("a")),
      continuing("u3", resultFor("b")),
      answer("done"),
    ]);
    expect(turns).toHaveLength(1);
    expect(branches.dead).toEqual([]);
  });

  test("a long message that was queued and delivered is told once", () => {
    const { turns } = understand([
      prompt("go"),
      toolUses("a"),
      queueOperation("enqueue", long),
      queueOperation("remove", long),
      queuedPrompt(long),
      resultFor("a"),
      answer("done"),
    ]);
    expect(turns.map(({ followUps }) => followUps.map(({ prompt: text }) => text))).toEqual([[long]]);
  });

  test("a long message that waited while a tool ran steers the running turn", () => {
    const { turns } = understand([
      prompt("go"),
      toolUses("a"),
      queueOperation("enqueue", long),
      resultFor("a"),
      queueOperation("dequeue"),
      prompt(long),
      answer("done"),
    ]);
    expect(turns).toHaveLength(1);
    expect(turns[0]?.followUps).toMatchObject([{ prompt: long, deliveryRecorded: true }]);
  });

  test("a message that began before the first prompt stays whole, with the results of its calls", () => {
    const { preamble, turns } = understand([toolUses("a"), prompt("go"), resultFor("a"), answer("done")]);
    expect(preamble.toolCalls).toMatchObject([{ id: "a", status: "ok" }]);
    expect(turns.map(({ toolCalls }) => toolCalls)).toEqual([[]]);
  });
});

describe("branches", () => {
  test("a rewound turn is a dead branch", () => {
    const { turns, branches } = understand([
      prompt("one"),
      answer("1"),
      prompt("two"),
      answer("2"),
      continuing("u2", prompt("other two")),
      answer("other 2"),
    ]);
    expect(turns.map(({ prompt: text }) => text)).toEqual(["one", "other two"]);
    expect(branches.dead).toMatchObject([{ leaf: "u4", turns: 1, usage: { output: 20 } }]);
  });

  test("a side line that hangs on nothing is kept where it stands in the file", () => {
    const { turns } = understand([
      prompt("go"),
      answer("done"),
      continuing(null, turnDuration()),
      continuing("u2", prompt("on")),
    ]);
    expect(turns.map(({ durationMs }) => durationMs)).toEqual([1000, 0]);
  });

  test("a compaction whose summary is missing is kept", () => {
    const { compactions, turns } = understand([
      prompt("go"),
      answer("done"),
      compactBoundary(),
      continuing("u2", prompt("on")),
    ]);
    expect(compactions).toHaveLength(1);
    expect(turns).toHaveLength(2);
  });

  test("records of a sub-agent that the main chain hangs on do not become part of it", () => {
    const { turns, totals } = understand([
      prompt("go"),
      inSidechain("agent", answer("from the agent")),
      continuing("u2", answer("done")),
      continuing("u3", attachment()),
      inSidechain("agent", progress()),
    ]);
    expect(turns.map(({ messages }) => messages.map(({ id }) => id))).toEqual([["m3"]]);
    expect(totals).toMatchObject({ messages: 1, usage: { output: 40 } });
  });

  test("children by the hundred thousand before their parent overflow nothing", () => {
    const children = Array.from({ length: 130_000 }, () => continuing("u130001", progress()));
    const { warnings, turns } = understand([...children, continuing(null, prompt("late parent"))]);
    expect(turns).toHaveLength(1);
    expect(warnings).toEqual([]);
  });
});
