import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { Recorder } from "../../src/agent/record/recorder.js";
import { makePlace, sentMessages, startChat } from "./chat-world.js";
import type { Reply } from "./mock-stream.js";
import type { SentRequest } from "./request-rules.js";

const DONE: Reply = { blocks: [{ text: "Done." }] };
const bash = (command: string) => ({ call: "Bash", input: { command } });

test("a prompt is in the file, and on the disk, before the API is asked", async () => {
  const sync = vi.spyOn(Recorder.prototype, "sync");
  onTestFinished(() => sync.mockRestore());
  const seen: [text: string, syncs: number][] = [];
  const world = await startChat(() => {
    seen.push([readFileSync(world.opened.recorder.path, "utf8"), sync.mock.calls.length]);
    return DONE;
  });
  await world.send("remember me");
  const [atRequest] = seen;
  expect(atRequest?.[0]).toContain("remember me");
  expect(atRequest?.[1]).toBeGreaterThan(0);
  expect(sync.mock.calls.length).toBeGreaterThan(atRequest?.[1] ?? Number.POSITIVE_INFINITY);
});

test("a call is in the file before its tool starts, and a result before the next tool that changes something", async () => {
  const place = makePlace();
  const look = (name: string) => bash(`cat '${place.configRoot}'/projects/*/*.jsonl > ${name}`);
  const world = await startChat([{ blocks: [look("first"), look("second")] }, DONE], { place });
  await world.send("go");
  const results = (name: string) =>
    readFileSync(join(place.project, name), "utf8").split('"type":"tool_result"').length;
  expect(readFileSync(join(place.project, "first"), "utf8")).toContain('"type":"tool_use"');
  expect(results("first")).toBe(1);
  expect(results("second")).toBe(2);
});

test("a copy of a file is kept as it was before the file is changed", async () => {
  const place = makePlace({ "a.txt": "before\n" });
  const edit = { call: "Edit", input: { file_path: "a.txt", old_string: "before", new_string: "after" } };
  const world = await startChat(
    [{ blocks: [{ call: "Read", input: { file_path: "a.txt" } }] }, { blocks: [edit] }, DONE],
    {
      place,
    },
  );
  await world.send("go");
  const folder = join(place.configRoot, "file-history", world.opened.recorder.sessionId);
  expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(["before\n"]);
  expect(readFileSync(join(place.project, "a.txt"), "utf8")).toBe("after\n");
});

test("each block but the last is in the file while the answer still streams, and only the last has the stop reason", async () => {
  const sizes: string[] = [];
  const world = await startChat([{ blocks: [{ text: "one" }, { text: "two" }, { text: "three" }] }], {
    onEvent: (event) => {
      if (event.kind === "delta") sizes.push(readFileSync(world.opened.recorder.path, "utf8"));
    },
  });
  await world.send("go");
  expect(sizes.at(-1)).toContain('"text":"one"');
  expect(sizes.at(-1)).not.toContain('"text":"three"');
  const answers = world.file.lines.filter(({ type }) => type === "assistant").map(({ message }) => message);
  expect(answers.at(-1)).toMatchObject({ stop_reason: "end_turn", usage: { output_tokens: 20 } });
});

test("a file that another program replaced is written to under its name", async () => {
  const world = await startChat([DONE, DONE]);
  await world.send("first");
  const { path } = world.opened.recorder;
  const bytes = readFileSync(path);
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
  await world.send("second");
  expect(readFileSync(world.opened.recorder.path, "utf8")).toContain("second");
  expect(world.file.session.turns.map(({ prompt }) => prompt)).toEqual(["first", "second"]);
});

test("a session whose last line lacks its end is gone on with on a line of its own", async () => {
  const place = makePlace();
  const first = await startChat([DONE], { place });
  await first.send("first");
  await first.opened.chat.close();
  const { path } = first.opened.recorder;
  appendFileSync(path, '{"type":"user","mess');
  const world = await startChat([DONE], { place }, { session: { kind: "resume", path, isFork: false } });
  await world.send("second");
  const lines = readFileSync(path, "utf8").split("\n");
  expect(lines).toContain('{"type":"user","mess');
  expect(lines.at(-1)).toBe("");
});

const isSumming = ({ system }: SentRequest) => JSON.stringify(system ?? []).includes("You sum up a conversation");

test("a context that stays full is summed up three times in a turn, and not again", async () => {
  const world = await startChat(
    (request, index) => {
      if (isSumming(request)) return { blocks: [{ text: "# Short\nso far" }] };
      if (index > 14) return DONE;
      return { blocks: [bash(`echo ${index}; seq 1 2000`)], inputTokens: 50_000 };
    },
    {},
    { compactAt: 2_000 },
  );
  await world.send("go");
  expect(world.api.requests.filter(isSumming)).toHaveLength(3);
  expect(world.events).toContainEqual(expect.objectContaining({ text: expect.stringContaining("three summaries") }));
});

test("every request begins with all of the one before, and has at most four cache marks", async () => {
  const world = await startChat((request, index) =>
    index < 6 && index !== 3 ? { blocks: [bash(`echo ${request.messages.length}`)] } : DONE,
  );
  await world.send("first");
  await world.send("second");
  const { requests } = world.api;
  expect(requests.length).toBeGreaterThan(5);
  const heads = requests.map(({ system, tools }) => JSON.stringify({ system, tools }));
  expect(new Set(heads).size).toBe(1);
  const marks = requests.map((request) => JSON.stringify(request).split('"cache_control"').length - 1);
  expect(Math.max(...marks)).toBeLessThanOrEqual(4);
  expect(Math.min(...marks)).toBeGreaterThan(1);
  const messages = requests.map((_, at) => JSON.stringify(sentMessages(world.api, at)).slice(0, -1));
  const isGrowing = messages.slice(1).map((text, at) => text.startsWith(messages[at] ?? "nothing"));
  expect(isGrowing).toEqual(isGrowing.map(() => true));
});
