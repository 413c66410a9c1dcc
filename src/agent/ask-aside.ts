import { type ApiBlock, type ApiMessage, textBlock } from "../format/api-message.js";
import { type JsonObject, stringAt } from "../format/json.js";
import type { ChatCore } from "./chat-core.js";
import { type Answer, SILENT } from "./model/model.js";
import type { AsideRequest } from "./tools/tool-context.js";

interface Aside extends AsideRequest {
  readonly serverTools?: readonly JsonObject[];
}

const MAX_PAUSES = 5;

/** Asks the model beside the conversation: it knows nothing of it, and nothing of this is recorded but what it cost. */
export async function askAside(core: ChatCore, aside: Aside, signal: AbortSignal): Promise<Answer> {
  const { model, modelName, spending } = core;
  const { system, prompt, serverTools = [] } = aside;
  const question: ApiMessage = { role: "user", content: [textBlock(prompt)] };
  let said: readonly ApiBlock[] = [];
  for (let pauses = 0; ; pauses++) {
    const started = performance.now();
    const messages = said.length === 0 ? [question] : [question, { role: "assistant" as const, content: said }];
    const request = { model: modelName, system: [system], messages, tools: [], serverTools, isAside: true };
    const answer = await model.answer(request, SILENT, signal);
    spending.add(answer.model, answer.usage, performance.now() - started);
    said = [...said, ...answer.blocks];
    if (answer.stopReason !== "pause_turn" || pauses === MAX_PAUSES) return { ...answer, blocks: said };
  }
}

export function answerText({ blocks }: Answer): string {
  return blocks.map((block) => stringAt(block, "text") ?? "").join("\n");
}
