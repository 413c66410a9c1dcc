import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ChatEvent } from "../../../src/agent/conversation/chat-event.js";
import { parseRecords } from "../../../src/format/reader/record-reader.js";
import { unknownNames } from "../../../src/format/record/known-names.js";
import { type ChatWorld, makePlace, startChat } from "../chat-world.js";
import type { AnswerBlock } from "../mock-stream.js";
import type { SentRequest } from "../request-rules.js";

const DONE = { blocks: [{ text: "Done." }] } as const;
const read: AnswerBlock = { call: "Read", input: { file_path: "a.txt" } };

/** Without what only tells of the file. */
const kinds = ({ events }: ChatWorld) => events.map(({ kind }) => kind).filter((kind) => kind !== "recorded");

function linesOf(events: readonly ChatEvent[]): unknown[] {
  return events.flatMap((event) => (event.kind === "recorded" || event.kind === "call-ended" ? event.line.uuid : []));
}

test("an answer streams as blocks that start, grow and end; calls start and end; each request is counted", async () => {
  const world = await startChat([{ blocks: [{ thinking: "hm" }, { text: "Looking." }, read] }, DONE], {
    place: makePlace({ "a.txt": "alpha\n" }),
  });
  await world.send("look");
  expect(kinds(world)).toEqual([
    "answer-start",
    ...["thinking-start", "thinking-delta", "thinking-delta", "thinking-end"],
    ...["text-start", "text-delta", "text-delta", "text-end"],
    ...["input-start", "input-delta", "input-delta", "input-end"],
    "usage",
    ...["call-started", "call-ended"],
    ...["answer-start", "text-start", "text-delta", "text-delta", "text-end", "usage"],
  ]);
});

test("every record of the conversation is announced exactly once", async () => {
  const world = await startChat([{ blocks: [{ text: "Looking." }, read, read] }, DONE], {
    place: makePlace({ "a.txt": "alpha\n" }),
  });
  await world.send("look");
  const recorded = world.file.lines.filter(({ uuid, type }) => uuid !== undefined && type !== "progress");
  expect(linesOf(world.events)).toEqual(recorded.map(({ uuid }) => uuid));
});

test("a call that is not run ends, too, without a start and a time", async () => {
  const world = await startChat([{ blocks: [{ call: "Nothing", input: {} }] }, DONE]);
  await world.send("go");
  expect(kinds(world)).not.toContain("call-started");
  const [ended] = world.events.filter((event) => event.kind === "call-ended");
  expect(ended).toMatchObject({ durationMs: undefined, outcome: { isError: true } });
});

test.each(["drop", "eof", "error-event", "hang"] as const)(
  "after %s every block that started has ended",
  async (fault) => {
    const halves: readonly AnswerBlock[] = [{ text: "Half of it" }, read, { thinking: "half a thought" }];
    const world = await startChat([...halves.map((half) => ({ fault, half })), DONE], { idleMs: 200, attempts: 4 });
    expect(await world.send("go")).toMatchObject({ end: "done" });
    const count = (end: RegExp) => kinds(world).filter((kind) => end.test(kind)).length;
    expect(count(/^(?:text|thinking|input)-start$/)).toBe(4);
    expect(count(/^(?:text|thinking|input)-end$/)).toBe(4);
  },
);

test("an interrupted text ends with what had come", async () => {
  const controller = new AbortController();
  const world = await startChat([{ fault: "hang", half: { text: "Half a sentence" } }], {
    onEvent: ({ kind }) => (kind === "text-delta" ? controller.abort() : undefined),
  });
  await world.send("go", controller.signal);
  expect(world.events.find(({ kind }) => kind === "text-end")).toMatchObject({ block: { text: "Half a s" } });
  expect(JSON.stringify(world.file.lines)).toContain('"text":"Half a s"');
});

test("what happens in a sub-agent says in which", async () => {
  const isOfAgent = ({ messages }: SentRequest) => JSON.stringify(messages[0]?.content).includes("dig");
  const world = await startChat((request) => {
    if (isOfAgent(request)) return { blocks: [{ text: "Dug." }] };
    const task = { call: "Task", input: { description: "d", prompt: "dig", subagent_type: "Explore" } };
    return request.messages.length === 1 ? { blocks: [task] } : DONE;
  });
  await world.send("go");
  const inAgent = world.events.filter((event) => "agent" in event && event.agent !== null);
  expect(inAgent.map(({ kind }) => kind)).toEqual([
    "recorded",
    ...["answer-start", "text-start", "text-delta", "text-delta", "text-end"],
    ...["recorded", "usage"],
  ]);
  expect(inAgent[0]).toMatchObject({ agent: { type: "Explore", agentId: expect.stringMatching(/^a/) } });
});

test("the chat writes no name that turnlog itself would report as unknown", async () => {
  const world = await startChat([{ blocks: [{ thinking: "hm" }, { text: "Looking." }, read] }, DONE], {
    place: makePlace({ "a.txt": "alpha\n" }),
  });
  await world.send("look");
  const records = parseRecords(readFileSync(world.file.path));
  expect(records.flatMap((record) => unknownNames(record))).toEqual([]);
});
