import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ChatEvent } from "../../../src/agent/conversation/chat-event.js";
import { makePlace, sentMessages, startChat } from "../chat-world.js";

/** Aborts at the first event that fits. */
function interruptAt(fits: (event: ChatEvent) => boolean): {
  signal: AbortSignal;
  onEvent: (event: ChatEvent) => void;
} {
  const controller = new AbortController();
  return { signal: controller.signal, onEvent: (event) => (fits(event) ? controller.abort() : undefined) };
}

test("an interrupt while the text streams keeps what had come, and the next request is valid", async () => {
  const { signal, onEvent } = interruptAt((event) => event.kind === "text-delta");
  const world = await startChat(
    [
      { blocks: [{ thinking: "t" }, { text: "A long answer that is cut" }], paceMs: 20 },
      { blocks: [{ text: "Yes." }] },
    ],
    { onEvent },
  );
  expect(await world.send("go", signal)).toMatchObject({ end: "interrupted" });
  const { session, problems, replay } = world.file;
  expect(problems).toEqual([]);
  expect(session.turns[0]).toMatchObject({ interrupted: true });
  expect(world.file.lines.some((line) => line["isAbortedMidStream"] === true)).toBe(true);
  await world.send("still there?");
  expect(world.api.problems).toEqual([]);
  expect(JSON.stringify(sentMessages(world.api))).toContain("[Request interrupted by user]");
  expect(JSON.stringify(replay.messages)).toContain("A long answ");
});

test("an interrupt while thinking streams leaves no thinking without its signature", async () => {
  const { signal, onEvent } = interruptAt((event) => event.kind === "thinking-delta");
  const world = await startChat(
    [{ blocks: [{ thinking: "long thoughts" }, { text: "x" }], paceMs: 20 }, { blocks: [{ text: "Yes." }] }],
    {
      onEvent,
    },
  );
  await world.send("go", signal);
  await world.send("again");
  expect(world.file.problems).toEqual([]);
  expect(world.api.problems).toEqual([]);
});

test("an interrupt while tools run gives every call a result, and what was not begun is not done", async () => {
  const { signal, onEvent } = interruptAt((event) => event.kind === "call-started");
  const place = makePlace();
  const world = await startChat(
    [
      {
        blocks: [
          { call: "Bash", input: { command: "sleep 30; touch late" } },
          { call: "Bash", input: { command: "touch never" } },
        ],
      },
      { blocks: [{ text: "Fine." }] },
    ],
    { onEvent, place },
  );
  expect(await world.send("go", signal)).toMatchObject({ end: "interrupted" });
  expect(world.file.session.turns[0]?.toolCalls.map(({ status }) => status)).toEqual(["interrupted", "interrupted"]);
  expect(existsSync(join(place.project, "never"))).toBe(false);
  const { replay } = world.file;
  await world.send("go on");
  expect(world.api.problems).toEqual([]);
  expect(sentMessages(world.api).slice(0, -1)).toEqual(replay.messages.slice(0, -1));
  expect(world.file.problems).toEqual([]);
});

test("what is typed while the model works is read after the next results, and recorded", async () => {
  const world = await startChat(
    [{ blocks: [{ call: "Bash", input: { command: "echo hi" } }] }, { blocks: [{ text: "I saw both." }] }],
    {},
  );
  const turn = world.send("go");
  world.opened.chat.enqueue("and this too");
  await turn;
  expect(world.file.session.turns).toHaveLength(1);
  expect(world.file.session.turns[0]?.followUps.map(({ prompt }) => prompt)).toEqual(["and this too"]);
  world.opened.chat.enqueue("too late");
  expect(world.opened.chat.takeQueued()).toEqual(["too late"]);
  const operations = world.file.lines.filter(({ type }) => type === "queue-operation");
  expect(operations.map(({ operation }) => operation)).toEqual(["enqueue", "dequeue", "enqueue", "dequeue"]);
  expect(world.file.problems).toEqual([]);
  expect(world.api.problems).toEqual([]);
});
