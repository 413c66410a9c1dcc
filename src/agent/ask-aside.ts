import { textBlock } from "../format/api-message.js";
import { type JsonObject, stringAt } from "../format/json.js";
import type { ChatCore } from "./chat-core.js";
import { type Answer, SILENT } from "./model/model.js";
import type { AsideRequest } from "./tools/tool-context.js";

interface Aside extends AsideRequest {
  readonly serverTools?: readonly JsonObject[];
}

/** Asks the model beside the conversation: it knows nothing of it, and nothing of this is recorded but what it cost. */
export async function askAside(core: ChatCore, aside: Aside, signal: AbortSignal): Promise<Answer> {
  const { model, modelName, spending } = core;
  const { system, prompt, serverTools = [] } = aside;
  const started = performance.now();
  const messages = [{ role: "user", content: [textBlock(prompt)] }] as const;
  const request = { model: modelName, system: [system], messages, tools: [], serverTools, isAside: true };
  const answer = await model.answer(request, SILENT, signal);
  spending.add(answer.model, answer.usage, performance.now() - started);
  return answer;
}

export function answerText({ blocks }: Answer): string {
  return blocks.map((block) => stringAt(block, "text") ?? "").join("\n");
}
