import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ChatOptions } from "../../../../src/agent/chat-options.js";
import { objectAt, stringAt, valueAt } from "../../../../src/format/json.js";
import { type ChatWorld, makePlace, type Place, startChat } from "../../chat-world.js";
import type { AnswerBlock } from "../../mock-stream.js";

const DONE = { blocks: [{ text: "Done." }] } as const;
const write = (file: string, content: string): AnswerBlock => ({
  call: "Write",
  input: { file_path: file, content },
});

/** One process: it opens the session, or a new one, makes these calls after one prompt, and ends. */
async function runProcess(place: Place, calls: readonly AnswerBlock[], path?: string): Promise<ChatWorld> {
  const options: Partial<ChatOptions> = path === undefined ? {} : { session: { kind: "resume", path, isFork: false } };
  const reads = calls.map((call) => ({ call: "Read", input: { file_path: valueAt(call, "input", "file_path") } }));
  const world = await startChat([{ blocks: reads }, { blocks: calls }, DONE], { place }, options);
  await world.send("go");
  await world.opened.chat.close();
  return world;
}

/** What each prompt's snapshot would bring back, by file: the content, or null where there was no file. */
function snapshotsOf({ file, place }: ChatWorld, sessionId = file.lines.find(({ uuid }) => uuid)?.["sessionId"]) {
  const contentOf = (backup: unknown) => {
    const name = stringAt(backup, "backupFileName");
    return name === undefined
      ? null
      : readFileSync(join(place.configRoot, "file-history", String(sessionId), name), "utf8");
  };
  return file.lines
    .filter(({ type }) => type === "file-history-snapshot")
    .map((line) => objectAt(line, "snapshot", "trackedFileBackups") ?? {})
    .map((tracked) => Object.fromEntries(Object.entries(tracked).map(([path, backup]) => [path, contentOf(backup)])));
}

test("each resume carries the backups on, so that a rewind to any prompt finds what was there", async () => {
  const place = makePlace({ "a.txt": "alpha\n", "b.txt": "beta\n" });
  const { path } = (await runProcess(place, [write("a.txt", "ONE\n")])).file;
  await runProcess(place, [write("b.txt", "TWO\n")], path);
  const last = await runProcess(place, [write("a.txt", "THREE\n")], path);
  expect(snapshotsOf(last)).toEqual([{}, { "a.txt": "ONE\n" }, { "a.txt": "ONE\n", "b.txt": "TWO\n" }]);
  const deltas = last.file.lines.filter(({ type }) => type === "file-history-delta");
  expect(deltas.map((line) => [line["trackingPath"], valueAt(line, "backup", "version")])).toEqual([
    ["a.txt", 1],
    ["b.txt", 1],
  ]);
});

test("backups that Claude Code recorded are continued with their versions", async () => {
  const place = makePlace({ "a.txt": "now\n" });
  const first = await runProcess(place, []);
  const { path } = first.file;
  const session = first.opened.log.sessionId;
  const folder = join(place.configRoot, "file-history", session);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "0123456789abcdef@v3"), "then\n");
  const backup = { backupFileName: "0123456789abcdef@v3", version: 3, backupTime: "2026-01-01T00:00:00.000Z" };
  const snapshot = { messageId: "x", timestamp: backup.backupTime, trackedFileBackups: { "a.txt": backup } };
  appendFileSync(path, `${JSON.stringify({ type: "file-history-snapshot", messageId: "x", snapshot })}\n`);
  const last = await runProcess(place, [], path);
  const tracked = last.file.lines.findLast(({ type }) => type === "file-history-snapshot");
  expect(objectAt(tracked, "snapshot", "trackedFileBackups")).toMatchObject({ "a.txt": { version: 4 } });
  expect(snapshotsOf(last, session).at(-1)).toEqual({ "a.txt": "now\n" });
});

test("a file that did not exist, and one that is unchanged, get no new version", async () => {
  const place = makePlace({ "a.txt": "alpha\n" });
  const { path } = (await runProcess(place, [write("new.txt", "x\n"), write("a.txt", "ONE\n")])).file;
  rmSync(join(place.project, "new.txt"));
  writeFileSync(join(place.project, "a.txt"), "alpha\n");
  const last = await runProcess(place, [], path);
  const tracked = last.file.lines.findLast(({ type }) => type === "file-history-snapshot");
  expect(objectAt(tracked, "snapshot", "trackedFileBackups")).toMatchObject({
    "new.txt": { backupFileName: null, version: 1 },
    "a.txt": { version: 1 },
  });
});

test("a copy of a session has the backups of the original", async () => {
  const place = makePlace({ "a.txt": "alpha\n" });
  const { path } = (await runProcess(place, [write("a.txt", "ONE\n")])).file;
  const copy = await startChat([DONE], { place }, { session: { kind: "resume", path, isFork: true } });
  await copy.send("on");
  expect(snapshotsOf(copy, copy.opened.log.sessionId)).toEqual([{}, { "a.txt": "ONE\n" }]);
  expect(copy.file.lines.filter(({ type }) => type === "file-history-delta")).toHaveLength(1);
  expect(copy.file.problems).toEqual([]);
});

test("a changed file that is a folder now does not end the chat, and keeps its last backup", async () => {
  const place = makePlace({ "a.txt": "alpha\n" });
  const world = await startChat(
    [{ blocks: [{ call: "Read", input: { file_path: "a.txt" } }] }, { blocks: [write("a.txt", "ONE\n")] }, DONE, DONE],
    { place },
  );
  await world.send("one");
  rmSync(join(place.project, "a.txt"));
  mkdirSync(join(place.project, "a.txt"));
  expect(await world.send("two")).toMatchObject({ end: "done" });
  expect(snapshotsOf(world)).toEqual([{}, { "a.txt": "alpha\n" }]);
});

test("a file that cannot be backed up at a prompt is told of, and does not end the chat", async () => {
  const place = makePlace({ "a.txt": "alpha\n" });
  const world = await startChat(
    [{ blocks: [{ call: "Read", input: { file_path: "a.txt" } }] }, { blocks: [write("a.txt", "ONE\n")] }, DONE, DONE],
    { place },
  );
  await world.send("one");
  const folder = join(place.configRoot, "file-history", world.opened.log.sessionId);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "a file in its place");
  expect(await world.send("two")).toMatchObject({ end: "done" });
  expect(world.events).toContainEqual({ kind: "notice", text: expect.stringContaining("a.txt was changed earlier") });
});
