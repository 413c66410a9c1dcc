import { expect, onTestFinished, test } from "vitest";
import { type AnthropicModelOptions, createAnthropicModel } from "../../src/agent/model/anthropic-model.js";
import { SILENT } from "../../src/agent/model/model.js";
import { startMockApi } from "./mock-api.js";

async function sentWith(model: string, options: AnthropicModelOptions) {
  const api = await startMockApi([{ blocks: [{ text: "Hello." }] }]);
  onTestFinished(() => api.close());
  const messages = [{ role: "user" as const, content: [{ type: "text", text: "hi" }] }];
  const request = { model, system: ["Be short."], messages, tools: [] };
  await createAnthropicModel({ apiKey: "key", baseUrl: api.url, ...options }).answer(
    request,
    SILENT,
    new AbortController().signal,
  );
  return api.requests[0];
}

test.each<readonly [string, AnthropicModelOptions, unknown]>([
  ["claude-opus-5-5", {}, { type: "adaptive" }],
  ["claude-haiku-4-5", {}, undefined],
  ["claude-haiku-4-5", { thinking: "adaptive" }, { type: "adaptive" }],
  ["claude-sonnet-5", { thinking: "off" }, { type: "disabled" }],
  ["claude-haiku-4-5", { thinking: 4_000 }, { type: "enabled", budget_tokens: 4_000 }],
  ["claude-haiku-4-5", { thinking: 4_000, maxTokens: 2_000 }, { type: "enabled", budget_tokens: 1_999 }],
])("%s with %j is told to think as %j", async (model, options, thinking) => {
  expect((await sentWith(model, options))?.thinking).toEqual(thinking);
});
