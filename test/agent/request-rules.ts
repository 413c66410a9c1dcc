import type { ApiBlock, ApiMessage } from "../../src/format/record/api-message.js";
import { apiProblems } from "../session/replay/api-rules.js";

/** The body of a request to the Messages API. */
export interface SentRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: readonly ApiBlock[];
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly ApiMessage[];
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number };
  readonly stream?: boolean;
}

const MAX_MARKS = 4;

/** What the API would refuse in a request, thinking apart. */
export function requestProblems(request: SentRequest): string[] {
  const { messages, system = [], tools = [], max_tokens, model } = request;
  const names = tools.map(({ name }) => name);
  return [
    ...(typeof model === "string" && model !== "" ? [] : ["model: Field required"]),
    ...(Number.isInteger(max_tokens) && max_tokens > 0 ? [] : ["max_tokens: Field required"]),
    ...(messages.length > 0 ? [] : ["messages: at least one message is required"]),
    ...thinkingProblems(request),
    ...(countMarks(request) <= MAX_MARKS ? [] : [`more than ${MAX_MARKS} blocks with cache_control`]),
    ...(new Set(names).size === names.length ? [] : ["tools: names must be unique"]),
    ...system.filter(({ text }) => String(text).trim() === "").map(() => "system: text must be non-empty"),
    ...apiProblems(
      withoutPausedCalls(messages).map(({ role, content }) => ({ role, content: content.map(withoutMark) })),
    ),
  ];
}

function thinkingProblems({ thinking, max_tokens }: SentRequest): string[] {
  if (thinking?.type !== "enabled") return [];
  const { budget_tokens = 0 } = thinking;
  return [
    ...(budget_tokens >= 1_024 ? [] : ["thinking.budget_tokens: at least 1024"]),
    ...(budget_tokens < max_tokens ? [] : ["max_tokens must be greater than thinking.budget_tokens"]),
  ];
}

/** An answer that paused goes back as it came, and may end in calls that the API is about to run. */
function withoutPausedCalls(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return messages;
  const end = last.content.findLastIndex(({ type }) => type !== "server_tool_use") + 1;
  const content = end > 0 ? last.content.slice(0, end) : [{ type: "text", text: "(paused)" }];
  return [...messages.slice(0, -1), { role: "assistant", content }];
}

export function countMarks({ system = [], tools = [], messages }: SentRequest): number {
  const blocks = [...system, ...tools, ...messages.flatMap(({ content }) => content)];
  return blocks.filter((block) => Object.hasOwn(block, "cache_control")).length;
}

function withoutMark({ cache_control: _mark, ...block }: ApiBlock): ApiBlock {
  return block as ApiBlock;
}

/** Thinking must come back byte for byte as it was signed. */
export class ThinkingSeal {
  readonly #signed = new Map<string, string>();

  sign(thinking: string): string {
    const signature = Buffer.from(`seal:${this.#signed.size}:${thinking.length}`).toString("base64");
    this.#signed.set(signature, thinking);
    return signature;
  }

  problems({ messages }: SentRequest): string[] {
    return messages
      .flatMap(({ content }) => content)
      .filter(({ type, signature }) => type === "thinking" && this.#signed.has(String(signature)))
      .filter(({ thinking, signature }) => this.#signed.get(String(signature)) !== thinking)
      .map(() => "thinking blocks cannot be modified");
  }
}
