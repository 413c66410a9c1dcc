import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { UserError } from "../../../../src/errors.js";
import { parseRecords } from "../../../../src/format/reader/record-reader.js";
import { type Replay, toApiMessages } from "../../../../src/session/replay/api-replay.js";
import { CORPUS, corpusSessions } from "../../../oracle/corpus-sessions.js";
import { makePlace, sentMessages, startChat } from "../../chat-world.js";

const REPLY = { blocks: [{ thinking: "on" }, { text: "Going on." }] } as const;

const talks = corpusSessions()
  .map((path) => join(CORPUS, path))
  .filter((path) => !basename(path).startsWith("agent-") && replayOf(path).messages.length > 0);

function replayOf(path: string): Replay {
  return toApiMessages(parseRecords(readFileSync(path)));
}

test.each(talks.map((path) => [basename(path), path] as const))(
  "the recorded session %s goes on",
  async (name, path) => {
    const place = makePlace();
    const folder = join(place.configRoot, "projects", "p");
    mkdirSync(folder, { recursive: true });
    const copy = join(folder, name);
    cpSync(path, copy);
    const before = replayOf(path);
    const world = await startChat(() => REPLY, { place }, { session: { kind: "resume", path: copy, isFork: false } });
    expect(await world.send("go on")).toMatchObject({ end: "done" });
    expect(world.api.problems).toEqual([]);
    expect(readFileSync(copy).subarray(0, readFileSync(path).length).equals(readFileSync(path))).toBe(true);
    const after = replayOf(copy);
    expect(after.messages.at(-1)?.content.at(-1)).toMatchObject({ text: "Going on." });
    expect(sentMessages(world.api).slice(0, before.messages.length - 1)).toEqual(before.messages.slice(0, -1));
  },
);

test("a call that was open when the process died gets a result in the file", async () => {
  const place = makePlace();
  const first = await startChat(
    [{ blocks: [{ call: "Bash", input: { command: "echo hi" } }] }, { blocks: [{ text: "x" }] }],
    { place, isCounted: false },
  );
  await first.send("go");
  await first.opened.chat.close();
  const lines = readFileSync(first.file.path, "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes('"tool_use"'));
  writeFileSync(first.file.path, `${lines.slice(0, at + 1).join("\n")}\n`);
  const path = first.file.path;
  const world = await startChat([REPLY], { place }, { session: { kind: "resume", path, isFork: false } });
  await world.send("go on");
  expect(world.api.problems).toEqual([]);
  expect(world.file.session.turns[0]?.toolCalls[0]).toMatchObject({ status: "interrupted" });
  expect(world.file.problems).toEqual([]);
});

test("--resume-session-at leaves away what follows a record", async () => {
  const place = makePlace();
  const first = await startChat(() => REPLY, { place });
  await first.send("one");
  await first.send("two");
  await first.opened.chat.close();
  const { path, lines } = first.file;
  const at = String(lines.find(({ type, apiBlockIndex }) => type === "assistant" && apiBlockIndex === 1)?.["uuid"]);
  const world = await startChat([REPLY], { place }, { session: { kind: "resume", path, at, isFork: false } });
  await world.send("three");
  expect(world.file.session.turns.map(({ prompt }) => prompt)).toEqual(["one", "three"]);
  expect(world.api.requests[0]?.messages).toHaveLength(3);
  expect(world.file.problems).toEqual([]);
});

test.each([false, true])(
  "a record that is not there is told in the same words, in a copy or not (%s)",
  async (isFork) => {
    const place = makePlace();
    const first = await startChat(() => REPLY, { place });
    await first.send("one");
    await first.opened.chat.close();
    const session = { kind: "resume", path: first.file.path, at: "nowhere", isFork } as const;
    await expect(startChat([], { place }, { session })).rejects.toThrow("the session has no record nowhere");
  },
);

test("whoever goes on with a damaged session is told how many lines cannot be read", async () => {
  const place = makePlace();
  const first = await startChat(() => REPLY, { place });
  await first.send("one");
  await first.opened.chat.close();
  const { path } = first.file;
  appendFileSync(path, '{"type":"user","mess\nnonsense\n');
  const world = await startChat(() => REPLY, { place }, { session: { kind: "resume", path, isFork: false } });
  expect(world.events).toContainEqual({
    kind: "notice",
    text: "2 lines of the session cannot be read; they are kept but not sent to the model",
  });
  await world.send("two");
  expect(readFileSync(path, "utf8")).toContain('{"type":"user","mess\nnonsense\n');
});

test("a session that another turnlog works in is refused", async () => {
  const place = makePlace();
  const first = await startChat(() => REPLY, { place });
  await first.send("one");
  const again = startChat(
    () => REPLY,
    { place },
    { session: { kind: "resume", path: first.file.path, isFork: false } },
  );
  await expect(again).rejects.toThrow(UserError);
});

test("when another program writes to the session, the conversation goes on in a copy", async () => {
  const world = await startChat(() => REPLY);
  await world.send("one");
  const { path } = world.file;
  const foreign = {
    ...world.file.lines.at(-3),
    uuid: "11111111-2222-4333-8444-555555555555",
    type: "user",
    message: { role: "user", content: "other" },
  };
  appendFileSync(path, `${JSON.stringify(foreign)}\n`);
  await world.send("two");
  expect(world.file.path).not.toBe(path);
  expect(world.file.session.turns.map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  expect(readFileSync(path, "utf8")).not.toContain('"two"');
  expect(world.file.problems).toEqual([]);
  expect(world.events.some(({ kind }) => kind === "notice")).toBe(true);
});

test("a resumed prompt hangs on the duration of the turn before, as in Claude Code", async () => {
  const place = makePlace();
  const first = await startChat(() => REPLY, { place });
  await first.send("one");
  await first.opened.chat.close();
  const { path } = first.file;
  const world = await startChat(() => REPLY, { place }, { session: { kind: "resume", path, isFork: false } });
  await world.send("two");
  const chain = world.file.lines.filter(({ uuid }) => uuid !== undefined);
  expect(chain.slice(1).map(({ parentUuid }) => parentUuid)).toEqual(chain.slice(0, -1).map(({ uuid }) => uuid));
});

test("when another program removed the last records, the conversation goes on in a copy of what is left", async () => {
  const world = await startChat(() => REPLY, { isCounted: false });
  await world.send("one");
  await world.send("two");
  const { path } = world.file;
  const lines = readFileSync(path, "utf8").split("\n");
  const second = lines.findIndex((line) => line.includes('"content":"two"'));
  writeFileSync(path, `${lines.slice(0, second - 1).join("\n")}\n`);
  expect(await world.send("three")).toMatchObject({ end: "done" });
  expect(world.file.path).not.toBe(path);
  expect(world.file.session.turns.map(({ prompt }) => prompt)).toEqual(["one", "three"]);
  expect(world.file.problems).toEqual([]);
});
