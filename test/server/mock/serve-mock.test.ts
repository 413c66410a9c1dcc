import { resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readDialogues } from "../../../src/agent/mock/read-dialogues.js";
import { createAnthropicModel } from "../../../src/agent/model/anthropic-model.js";
import type { AnswerEvent } from "../../../src/agent/model/model.js";
import { readRecords } from "../../../src/format/reader/record-reader.js";
import { loadSession } from "../../../src/library/load/load-session.js";
import { findSessions } from "../../../src/library/sources/find-sessions.js";
import { type MockOptions, type ServedRequest, serveMock } from "../../../src/server/mock/serve-mock.js";
import { toApiMessages } from "../../../src/session/replay/api-replay.js";

const found = findSessions([resolve("demo")]).sessions;
const path = found.find(({ id }) => id.startsWith("1a0a6e10"))?.path ?? "";
const { messages } = toApiMessages([...readRecords(path)]);
const request = { model: "claude-opus-5-5", system: [], tools: [{ name: "Read", description: "", inputSchema: {} }] };

async function startMock(options: MockOptions = {}) {
  const served: ServedRequest[] = [];
  const server = await serveMock([readDialogues(loadSession(path))], {
    speed: Number.POSITIVE_INFINITY,
    onRequest: (one) => served.push(one),
    ...options,
  });
  onTestFinished(() => server.close());
  const events: AnswerEvent[] = [];
  const retry = { attempts: 3, firstDelayMs: 1 };
  const model = createAnthropicModel({ apiKey: "any", baseUrl: server.url, idleMs: 1_000, retry });
  const ask = (count: number) =>
    model.answer(
      { ...request, messages: messages.slice(0, count) },
      (event) => events.push(event),
      AbortSignal.timeout(20_000),
    );
  return { server, served, events, ask };
}

test("an answer streams as it was recorded: blocks, stop reason, model, id and usage", async () => {
  const { ask, served } = await startMock();
  const answer = await ask(1);
  const recorded = readDialogues(loadSession(path)).dialogues[0]?.answers[0];
  expect(answer).toMatchObject({
    id: recorded?.id,
    model: recorded?.model,
    blocks: messages[1]?.content,
    stopReason: recorded?.stopReason,
    usage: { output_tokens: recorded?.usage["output_tokens"] },
  });
  expect(served).toMatchObject([{ number: 1, how: "prompt", answer: 1 }]);
});

test("results bring what follows them, and what comes after the end says so", async () => {
  const { ask, served } = await startMock();
  expect((await ask(3)).blocks).toEqual(messages[3]?.content);
  const end = await ask(messages.length);
  expect(served.map(({ how }) => how)).toEqual(["results", expect.any(String)]);
  expect(end.blocks).not.toEqual([]);
});

test.each(["429@1", "529@1-2", "cut@1", "error@1"])(
  "a client gets over the fault %s, and then the recorded answer",
  async (fault) => {
    const { ask, events } = await startMock({ faults: [fault] });
    expect((await ask(1)).blocks).toEqual(messages[1]?.content);
    expect(events.filter(({ kind }) => kind === "retry").length).toBeGreaterThan(0);
  },
);

test("with strict, what was not recorded is refused in the words of the API", async () => {
  const { server, served } = await startMock({ isStrict: true });
  const body = {
    model: "m",
    tools: [{ name: "Read", input_schema: {} }],
    messages: [{ role: "user", content: "something else" }],
  };
  const answer = await fetch(`${server.url}/v1/messages`, { method: "POST", body: JSON.stringify(body) });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    error: { type: "invalid_request_error", message: expect.stringContaining("something else") },
  });
  expect(served).toMatchObject([{ how: "refused", answer: null }]);
});

test("requests beside the conversation get a title, a summary or a word, and change nothing", async () => {
  const { server, ask } = await startMock();
  const send = async (body: object) =>
    (await fetch(`${server.url}/v1/messages`, { method: "POST", body: JSON.stringify(body) })).json();
  const title = await send({
    model: "m",
    max_tokens: 9,
    system: "Write a title",
    messages: [{ role: "user", content: "hi" }],
  });
  expect(JSON.parse(title.content[0].text).title).toBe(loadSession(path).header.title);
  expect(
    (await send({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "quota" }] })).content[0].text,
  ).toBe("OK");
  expect((await ask(1)).blocks).toEqual(messages[1]?.content);
});

test("the recorded time passes, in pieces, and less of it with speed", async () => {
  const pausing = readDialogues(loadSession(path));
  const slow = pausing.dialogues.map((dialogue) => ({
    ...dialogue,
    answers: dialogue.answers.map((answer) => ({ ...answer, waitsMs: answer.waitsMs.map(() => 3_000) })),
  }));
  const server = await serveMock([{ ...pausing, dialogues: slow }], { speed: 20 });
  onTestFinished(() => server.close());
  const started = performance.now();
  const model = createAnthropicModel({ apiKey: "any", baseUrl: server.url });
  await model.answer({ ...request, messages: messages.slice(0, 1) }, () => undefined, AbortSignal.timeout(20_000));
  expect(performance.now() - started).toBeGreaterThan(140);
});

test("other names of this machine, unknown paths and bad bodies are refused", async () => {
  const { server } = await startMock();
  const status = async (route: string, init: RequestInit) => (await fetch(`${server.url}${route}`, init)).status;
  expect(await status("/v1/complete", { method: "POST" })).toBe(404);
  expect(await status("/v1/messages", { method: "POST", body: "{" })).toBe(400);
  expect(await status("/v1/messages/count_tokens", { method: "POST", body: '{"messages":[]}' })).toBe(200);
  expect(await status("/", { method: "HEAD" })).toBe(200);
});
