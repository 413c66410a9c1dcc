import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createToolContext } from "../../../../src/agent/conversation/create-tool-context.js";
import { Recorder } from "../../../../src/agent/conversation/session-log/recorder.js";
import { makePlace, sentMessages, startChat } from "../../chat-world.js";
import { startMockApi } from "../../mock-api.js";
import type { AnswerBlock, Reply } from "../../mock-stream.js";
import type { SentRequest } from "../../request-rules.js";
import { onlySession, runChat, spawnChat } from "../../spawn-chat.js";

const DONE: Reply = { blocks: [{ text: "Done." }] };
const bash = (command: string) => ({ call: "Bash", input: { command } });

test("a prompt is in the file, and on the disk, before the API is asked", async () => {
  const sync = vi.spyOn(Recorder.prototype, "sync");
  onTestFinished(() => sync.mockRestore());
  const seen: [text: string, syncs: number][] = [];
  const world = await startChat(() => {
    seen.push([readFileSync(world.opened.log.path, "utf8"), sync.mock.calls.length]);
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
  const folder = join(place.configRoot, "file-history", world.opened.log.sessionId);
  expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(["before\n"]);
  expect(readFileSync(join(place.project, "a.txt"), "utf8")).toBe("after\n");
});

test("a file that another program replaced is written to under its name", async () => {
  const world = await startChat([DONE, DONE]);
  await world.send("first");
  const { path } = world.opened.log;
  const bytes = readFileSync(path);
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
  await world.send("second");
  expect(readFileSync(world.opened.log.path, "utf8")).toContain("second");
  expect(world.file.session.turns.map(({ prompt }) => prompt)).toEqual(["first", "second"]);
});

test("a session whose last line lacks its end is gone on with on a line of its own", async () => {
  const place = makePlace();
  const first = await startChat([DONE], { place });
  await first.send("first");
  await first.opened.chat.close();
  const { path } = first.opened.log;
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
  const told = world.events.filter((event) => event.kind === "notice" && event.text.includes("three summaries"));
  expect(told).toHaveLength(1);
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

test("progress of a tool is written within its budget, and nothing hangs on it", async () => {
  const world = await startChat([DONE]);
  const { opened } = world;
  const { signal } = new AbortController();
  const call = (id: string) => createToolContext(opened.chat, { id, name: "Bash", input: {} }, "p", signal);
  for (let sign = 0; sign < 3_000; sign++)
    call(`call-${sign % 1_000}`).progress({ type: "bash_progress", output: "x" });
  await world.send("go");
  const progress = world.file.lines.filter(({ type }) => type === "progress").map(({ uuid }) => uuid);
  expect(progress).toHaveLength(500);
  expect(world.file.lines.filter(({ parentUuid }) => progress.includes(parentUuid))).toEqual([]);
});

const HALVES: readonly AnswerBlock[] = [bash("touch half"), { thinking: "half a thought" }];

test.each(["drop", "eof", "error-event", "hang"] as const)(
  "of an answer that ends with %s no call is run or written, and the next attempt hangs on the prompt",
  async (fault) => {
    const place = makePlace();
    const attempts = HALVES.map((half) => ({ fault, blocks: [{ text: "Well." }, bash("touch whole")], half }));
    const world = await startChat([...attempts, DONE], { place, idleMs: 200 });
    expect(await world.send("go")).toMatchObject({ end: "done", text: "Done." });
    const { lines, problems } = world.file;
    expect(JSON.stringify(lines)).not.toMatch(/"type":"(?:tool_use|thinking)"/);
    expect(readdirSync(place.project)).toEqual([]);
    const prompt = lines.find(({ type }) => type === "user")?.["uuid"];
    const answers = lines.filter(({ type }) => type === "assistant");
    expect(answers.map(({ parentUuid }) => parentUuid)).toEqual(answers.map(() => prompt));
    expect(answers.at(-1)).toMatchObject({ message: { content: [{ text: "Done." }] } });
    expect(problems).toEqual([]);
  },
);

test.each(HALVES)("an interrupt in the middle of %j leaves nothing of it in the file", async (half) => {
  const controller = new AbortController();
  const world = await startChat([{ fault: "hang", blocks: [{ text: "Well." }], half }, DONE], {
    onEvent: ({ kind }) => (kind === "text-delta" ? void setTimeout(() => controller.abort(), 50) : undefined),
  });
  expect(await world.send("go", controller.signal)).toMatchObject({ end: "interrupted" });
  expect(JSON.stringify(world.file.lines)).not.toMatch(/"type":"(?:tool_use|thinking)"/);
  await world.send("again");
  expect(world.api.problems).toEqual([]);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s while calls run leaves a result for each of them in the file, before anybody goes on with it",
  async (signal) => {
    const place = makePlace();
    const api = await startMockApi([{ blocks: [bash("touch started; sleep 600"), bash("touch never")] }]);
    onTestFinished(() => api.close());
    const spawned = spawnChat(["-p", "go", "--permission-mode", "bypassPermissions"], place, api);
    await expect.poll(() => readdirSync(place.project), { timeout: 20_000 }).toEqual(["started"]);
    spawned.child.kill(signal);
    expect(await spawned.end).toMatchObject({ exitCode: 130 });
    const { session, problems, replay } = onlySession(place);
    expect(session.turns[0]?.toolCalls.map(({ status }) => status)).toEqual(["interrupted", "interrupted"]);
    expect(replay.report.repaired).toEqual([]);
    expect(problems).toEqual([]);
    expect(readdirSync(place.project)).toEqual(["started"]);
  },
);

test("another process sends thinking on exactly as it was signed", async () => {
  const place = makePlace();
  const thoughts = ["  spaces \n\n and lines ", "\u00e9 \ud83d\ude00 \u2028 \\u0041"];
  const api = await startMockApi((_, index) => ({
    blocks: [{ thinking: thoughts[index] ?? "more" }, { text: "Yes." }],
  }));
  onTestFinished(() => api.close());
  await runChat(["-p", "one"], place, api);
  await runChat(["-p", "two", "-c"], place, api);
  await runChat(["-p", "three", "-c"], place, api);
  const blocks = api.requests.at(-1)?.messages.flatMap(({ content }) => content) ?? [];
  expect(blocks.filter(({ type }) => type === "thinking").map(({ thinking }) => thinking)).toEqual(thoughts);
  expect(api.problems).toEqual([]);
});

test("a summary of what is too long even as text is asked for once more, of its end", async () => {
  const prompts: string[] = [];
  const world = await startChat((request) => {
    if (!isSumming(request)) return { blocks: [{ text: `Long. ${"x".repeat(40_000)}` }] };
    prompts.push(String(request.messages[0]?.content[0]?.["text"]));
    return prompts.length === 1
      ? { fault: "status", status: 413, type: "request_too_large", message: "too large" }
      : { blocks: [{ text: "# Short\nso far" }] };
  });
  await world.send("go");
  expect(await world.opened.chat.compact(undefined, new AbortController().signal)).toBe(true);
  expect(prompts).toHaveLength(2);
  expect(prompts[1]?.length).toBeLessThan((prompts[0]?.length ?? 0) * 0.6);
});

test("a summary is written to a copy when another program wrote to the session", async () => {
  const world = await startChat((request) => ({
    blocks: [{ text: isSumming(request) ? "# Short\nso far" : `Long. ${"x".repeat(4_000)}` }],
  }));
  await world.send("go");
  const { path } = world.file;
  appendFileSync(path, '{"type":"summary","summary":"foreign","leafUuid":"x"}\n');
  expect(await world.opened.chat.compact(undefined, new AbortController().signal)).toBe(true);
  expect(world.file.path).not.toBe(path);
  expect(readFileSync(path, "utf8")).not.toContain("compact_boundary");
  expect(world.file.problems).toEqual([]);
});

test("a session that could not be read is free for whoever comes next", async () => {
  const place = makePlace();
  const first = await startChat([DONE], { place });
  await first.send("one");
  await first.opened.chat.close();
  const session = { kind: "resume", path: first.file.path, isFork: false } as const;
  await expect(startChat([], { place }, { session: { ...session, at: "nowhere" } })).rejects.toThrow(
    "no record nowhere",
  );
  const world = await startChat([DONE], { place }, { session });
  expect(await world.send("two")).toMatchObject({ end: "done" });
});
