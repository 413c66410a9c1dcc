import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Answer, AnswerListener, ModelRequest } from "../../../src/agent/model/model.js";
import { stringAt, valueAt } from "../../../src/format/json.js";
import { sentMessages, startChat } from "../chat-world.js";
import { countMarks } from "../request-rules.js";

const types = (lines: readonly object[]) => lines.map((line) => stringAt(line, "type"));

test("a prompt and its answer are recorded as the client records them", async () => {
  const world = await startChat([{ blocks: [{ thinking: "hm" }, { text: "Hello." }] }]);
  const result = await world.send("hi");
  expect(result).toMatchObject({ end: "done", text: "Hello.", turns: 1 });
  const { lines, problems } = world.file;
  expect(types(lines)).toEqual([
    "file-history-snapshot",
    "user",
    "assistant",
    "assistant",
    "system",
    "last-prompt",
    "permission-mode",
  ]);
  const [, prompt, thinking, text, duration] = lines;
  expect(prompt).toMatchObject({ parentUuid: null, promptSource: "typed", entrypoint: "turnlog", version: "2.1.326" });
  expect(prompt).toMatchObject({ recordedBy: { name: "turnlog", version: "0.1.0" }, isSidechain: false });
  for (const block of [thinking, text]) {
    expect(valueAt(block, "message")).toMatchObject({ stop_reason: "end_turn", stop_details: null });
    expect(valueAt(block, "message", "usage")).toMatchObject({ output_tokens: 20, input_tokens: 100 });
  }
  expect(duration).toMatchObject({ subtype: "turn_duration", parentUuid: text?.["uuid"] });
  expect(problems).toEqual([]);
});

test("where a person sits, a new session gets a title from the model, once", async () => {
  const world = await startChat(() => ({ blocks: [{ text: "Hello." }] }), {}, { isNamed: true });
  await world.send("hi");
  await expect.poll(() => world.file.session.session.title).toBe("A title from the model");
  await world.send("again");
  expect(types(world.file.lines).filter((type) => type === "ai-title")).toHaveLength(1);
  expect(world.file.problems).toEqual([]);
});

test("a model that fails at a title ends neither the turn nor the chat", async () => {
  const isForTitle = ({ system }: ModelRequest) => system.join("").includes("You find titles");
  const world = await startChat([], {}, { isNamed: true, model: { answer } });
  async function answer(request: ModelRequest, listen: AnswerListener): Promise<Answer> {
    if (isForTitle(request)) throw new TypeError("not a title");
    const start = { id: "m", model: request.model, requestId: undefined, usage: { input_tokens: 1, output_tokens: 1 } };
    const block = { type: "text", text: "Hello." };
    listen({ kind: "answer-start", start });
    listen({ kind: "block", index: 0, block });
    return { ...start, blocks: [block], stopReason: "end_turn", stopSequence: null };
  }
  expect(await world.send("hi")).toMatchObject({ end: "done", text: "Hello." });
  await expect.poll(() => world.events).toContainEqual({ kind: "notice", text: "no title was found: not a title" });
});

test("parallel calls are blocks, then results, in one chain", async () => {
  const world = await startChat(
    [
      {
        blocks: [
          { text: "Looking." },
          { call: "Read", input: { file_path: "a.txt" } },
          { call: "Glob", input: { pattern: "*" } },
        ],
      },
      { blocks: [{ text: "Done." }] },
    ],
    {},
  );
  await world.send("look");
  const chain = world.file.lines.filter((line) => typeof line["uuid"] === "string");
  expect(chain.slice(1).map((line) => line["parentUuid"])).toEqual(chain.slice(0, -1).map((line) => line["uuid"]));
  expect(world.file.session.turns[0]?.toolCalls.map(({ name, status }) => [name, status])).toEqual([
    ["Read", "error"],
    ["Glob", "ok"],
  ]);
  expect(world.file.problems).toEqual([]);
  expect(world.api.problems).toEqual([]);
});

test("what is sent is what a reader of the file would send", async () => {
  const world = await startChat([
    { blocks: [{ thinking: "first" }, { call: "Bash", input: { command: "echo one" } }] },
    { blocks: [{ text: "One." }] },
    { blocks: [{ text: "Two." }] },
  ]);
  await world.send("go");
  const { replay } = world.file;
  await world.send("again");
  const sent = world.api.requests[2]?.messages.slice(0, -1).map(({ role, content }) => ({
    role,
    content: content.map(({ cache_control: _mark, ...block }) => block),
  }));
  expect(sent).toEqual(replay.messages);
  expect(replay.report.repaired).toEqual([]);
  expect(world.api.requests.map(countMarks).every((marks) => marks >= 2 && marks <= 4)).toBe(true);
});

test("a stream that breaks is asked for again, and its half is a dead branch without open calls", async () => {
  const half = [{ thinking: "t" }, { text: "Half" }, { call: "Bash", input: { command: "echo no" } }] as const;
  const world = await startChat([
    { fault: "drop", blocks: half },
    { fault: "error-event", blocks: half },
    { blocks: [{ text: "Whole." }] },
  ]);
  expect(await world.send("go")).toMatchObject({ end: "done", text: "Whole." });
  const { problems, session, replay } = world.file;
  expect(problems).toEqual([]);
  expect(session.branches.dead.length).toBeGreaterThan(0);
  expect(JSON.stringify(replay.messages)).not.toContain("Half");
  expect(world.events.filter(({ kind }) => kind === "retry")).toHaveLength(2);
});

test.each(["eof", "hang"] as const)("an answer that ends with %s is asked for again", async (fault) => {
  const world = await startChat([{ fault, half: { text: "Half" } }, { blocks: [{ text: "Whole." }] }], { idleMs: 300 });
  expect(await world.send("go")).toMatchObject({ end: "done", text: "Whole." });
  expect(world.file.problems).toEqual([]);
});

test("a model that thinks for long without showing it is waited for, but not for ever", async () => {
  const thinking = { blocks: [{ text: "Thought." }], pings: 10, paceMs: 150 };
  const patient = await startChat([thinking], { idleMs: 1_000 });
  expect(await patient.send("go")).toMatchObject({ end: "done", text: "Thought." });
  const endless = { blocks: [{ text: "Never." }], pings: 100, paceMs: 60 };
  const weary = await startChat([endless, { blocks: [{ text: "At last." }] }], { idleMs: 100 });
  expect(await weary.send("go")).toMatchObject({ end: "done", text: "At last." });
});

test.each([429, 529, 500])("status %i is tried again after the pause that the API asks for", async (status) => {
  const world = await startChat([{ fault: "status", status, retryAfter: "0" }, { blocks: [{ text: "Late." }] }]);
  expect(await world.send("go")).toMatchObject({ end: "done", text: "Late." });
});

test.each([400, 401, 403])("status %i ends the turn with an error that is recorded", async (status) => {
  const world = await startChat([{ fault: "status", status, message: "not like this" }]);
  const result = await world.send("go");
  expect(result.end).toBe("api-error");
  expect(result.error?.message).toBe("not like this");
  expect(world.api.requests).toHaveLength(1);
  expect(world.file.session.totals.apiErrors).toBe(1);
  expect(world.file.problems).toEqual([]);
});

test("after an error of the API the model still knows what it did before", async () => {
  const world = await startChat([
    { blocks: [{ call: "Bash", input: { command: "echo done-before" } }] },
    { fault: "status", status: 400, message: "not like this" },
    { blocks: [{ text: "Now it works." }] },
  ]);
  expect(await world.send("go")).toMatchObject({ end: "api-error", turns: 1, text: "" });
  const { messages } = world.file.replay;
  expect(await world.send("again")).toMatchObject({ end: "done" });
  expect(JSON.stringify(sentMessages(world.api))).toContain("done-before");
  expect(sentMessages(world.api).slice(0, messages.length - 1)).toEqual(messages.slice(0, -1));
  expect(world.file.problems).toEqual([]);
});

test("an answer at the output limit goes on, and a call that was cut is never run", async () => {
  const world = await startChat([
    { blocks: [{ text: "Part one" }, { call: "Bash", input: { command: "touch cut" } }], stop: "max_tokens" },
    { blocks: [{ text: "and two." }] },
  ]);
  expect(await world.send("go")).toMatchObject({ end: "done", turns: 2 });
  expect(world.file.session.totals.toolCalls).toBe(0);
  expect(world.file.problems).toEqual([]);
  expect(world.api.problems).toEqual([]);
});

test.each([[[{ text: "Part one" }]], [[{ thinking: "so" }, { text: "Part one" }]], [[]]])(
  "stop reason and final usage are in the file when the output limit cuts a call after %j",
  async (before) => {
    const cut = { call: "Bash", input: { command: "touch cut" } };
    const world = await startChat([
      { blocks: [...before, cut], stop: "max_tokens", outputTokens: 218 },
      { blocks: [{ text: "and two." }] },
    ]);
    expect(await world.send("go")).toMatchObject({ end: "done", turns: 2 });
    const [message] = world.file.lines
      .filter((line) => valueAt(line, "message", "stop_reason") === "max_tokens")
      .map((line) => valueAt(line, "message"));
    expect(message).toMatchObject({ usage: { output_tokens: 218 }, stop_details: null });
    expect(world.file.session.totals).toMatchObject({ orphanToolCalls: 0 });
    expect(existsSync(join(world.place.project, "cut"))).toBe(false);
    expect(world.file.problems).toEqual([]);
    expect(world.api.problems).toEqual([]);
  },
);

test("a paused turn goes on, a refusal ends it", async () => {
  const paused = await startChat([
    { blocks: [{ text: "Wait." }], stop: "pause_turn" },
    { blocks: [{ text: "On." }], stop: "refusal" },
  ]);
  expect(await paused.send("go")).toMatchObject({ end: "refusal", turns: 2 });
  expect(paused.api.problems).toEqual([]);
});

const SEARCHING = { raw: { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} } };
const FOUND = { raw: { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] } };

test("an answer that paused before a search of the API goes back as it came, and its second half is the rest of it", async () => {
  const world = await startChat([
    { blocks: [{ text: "Searching." }, SEARCHING], stop: "pause_turn" },
    { blocks: [FOUND, { text: "Found." }] },
    { blocks: [{ text: "Yes." }] },
  ]);
  expect(await world.send("go")).toMatchObject({ end: "done", text: "Found." });
  await world.send("sure?");
  const types = world.api.requests.map(({ messages }) =>
    messages.map(({ content }) => content.map(({ type }) => type).join(" ")),
  );
  expect(types[1]?.[1]).toBe("text server_tool_use");
  expect(types[2]?.[1]).toBe("text server_tool_use web_search_tool_result text");
  expect(world.api.problems).toEqual([]);
});

test.each([[[{ text: "Searching." }, SEARCHING]], [[SEARCHING]]])(
  "a search that was never done is not sent on when the turn ends there: %j",
  async (blocks) => {
    const world = await startChat(
      (_, index) => (index === 0 ? { blocks, stop: "pause_turn" } : { blocks: [{ text: "Yes." }] }),
      {},
      { maxTurns: 1 },
    );
    expect(await world.send("go")).toMatchObject({ end: "max-turns" });
    const { replay } = world.file;
    await world.send("and now?");
    expect(JSON.stringify(sentMessages(world.api))).not.toContain("server_tool_use");
    expect(JSON.stringify(replay.messages)).not.toContain("server_tool_use");
    expect(world.api.problems).toEqual([]);
  },
);

test("an answer that pauses for ever is ended", async () => {
  const world = await startChat(() => ({ blocks: [], stop: "pause_turn" }));
  expect(await world.send("go")).toMatchObject({ end: "cut-off", turns: 21 });
});

test("three equal calls in a row stop the turn when nobody can be asked", async () => {
  const same = { blocks: [{ call: "Bash", input: { command: "echo same" } }] };
  const world = await startChat([same, same, same]);
  expect(await world.send("go")).toMatchObject({ end: "repeated", turns: 3 });
  expect(world.file.session.totals.orphanToolCalls).toBe(0);
});

test("limits of turns and cost end a turn after the results", async () => {
  const call = (n: number) => ({ blocks: [{ call: "Bash", input: { command: `echo ${n}` } }] });
  const byTurns = await startChat([call(1), call(2), call(3)], {}, { maxTurns: 2 });
  expect(await byTurns.send("go")).toMatchObject({ end: "max-turns", turns: 2 });
  const byCost = await startChat([call(1), call(2)], {}, { maxCost: 0.000_001 });
  expect(await byCost.send("go")).toMatchObject({ end: "max-cost", turns: 1 });
  expect(byCost.file.session.totals.orphanToolCalls).toBe(0);
  const unknown = startChat([], {}, { maxCost: 1, modelName: "nobody-knows" });
  await expect(unknown).rejects.toThrow("no price for nobody-knows");
});
