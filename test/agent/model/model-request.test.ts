import { expect, onTestFinished, test } from "vitest";
import { type AnthropicModelOptions, createAnthropicModel } from "../../../src/agent/model/anthropic-model.js";
import { SILENT } from "../../../src/agent/model/model.js";
import { startMockApi } from "../mock-api.js";

async function askWith(model: string, options: AnthropicModelOptions) {
  const api = await startMockApi([{ blocks: [{ text: "Hello." }] }]);
  onTestFinished(() => api.close());
  const messages = [{ role: "user" as const, content: [{ type: "text", text: "hi" }] }];
  const request = { model, system: ["Be short."], messages, tools: [] };
  const asked = createAnthropicModel({ baseUrl: api.url, ...options });
  await asked.answer(request, SILENT, new AbortController().signal);
  return { request: api.requests[0], headers: api.headers[0] };
}

const KEY = { apiKey: "key" };

test.each<readonly [AnthropicModelOptions, object]>([
  [KEY, { authorization: "Bearer key" }],
  [{ authToken: "token" }, { authorization: "Bearer token" }],
  [{ apiKey: "key", authToken: "token" }, { authorization: "Bearer key" }],
  [
    { ...KEY, headers: { "X-Team": "blue", Authorization: "Basic own" } },
    { authorization: "Basic own", "x-team": "blue" },
  ],
])("with %j the headers are %j", async (options, headers) => {
  expect((await askWith("claude-opus-5-5", options)).headers).toMatchObject(headers);
});

test("the effort is told, and the longest answer", async () => {
  const { request } = await askWith("claude-opus-5-5", { ...KEY, effort: "high", maxTokens: 5_000 });
  expect(request).toMatchObject({ output_config: { effort: "high" }, max_tokens: 5_000 });
});

test.each<readonly [string, AnthropicModelOptions, unknown]>([
  ["claude-opus-5-5", {}, { type: "adaptive" }],
  ["claude-haiku-4-5", {}, undefined],
  ["claude-haiku-4-5", { thinking: "adaptive" }, { type: "adaptive" }],
  ["claude-sonnet-5", { thinking: "off" }, { type: "disabled" }],
  ["claude-haiku-4-5", { thinking: 4_000 }, { type: "enabled", budget_tokens: 4_000 }],
  ["claude-haiku-4-5", { thinking: 4_000, maxTokens: 2_000 }, { type: "enabled", budget_tokens: 1_999 }],
])("%s with %j is told to think as %j", async (model, options, thinking) => {
  expect((await askWith(model, { ...KEY, ...options })).request?.thinking).toEqual(thinking);
});
