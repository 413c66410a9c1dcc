import { stringAt } from "../../format/json.js";
import type { ChatMessage, Content } from "../observe/conversation.js";
import type { Costs, Observation, ObservationKind } from "../observe/observation.js";
import {
  type Attributes,
  agentNameOf,
  cacheWriteTokens,
  displayName,
  jsonText,
  messagesOf,
  outputTokens,
  promptTokens,
  textOf,
  type Vocabulary,
} from "./attribute.js";

const KINDS: Readonly<Record<ObservationKind, string>> = {
  turn: "AGENT",
  agent: "AGENT",
  generation: "LLM",
  tool: "TOOL",
  error: "CHAIN",
  followUp: "CHAIN",
  lostResult: "CHAIN",
  compaction: "CHAIN",
  hook: "CHAIN",
  wait: "CHAIN",
};

/** The conventions of OpenInference: Phoenix, Arize and others. */
export const openInference: Vocabulary = {
  name: displayName,
  attributes: (observation, trace) => {
    const { kind, name, input, output, metadata } = observation;
    return {
      "openinference.span.kind": kind === "hook" && observation.level !== "DEFAULT" ? "GUARDRAIL" : KINDS[kind],
      "session.id": trace.sessionId,
      "user.id": trace.userId ?? undefined,
      "tag.tags": trace.tags.length === 0 ? undefined : trace.tags,
      ...nameValue("input", input),
      ...nameValue("output", output),
      "agent.name": agentNameOf(observation),
      "tool.name": kind === "tool" ? name : undefined,
      "tool.id": kind === "tool" ? stringAt(metadata, "tool_id") : undefined,
      metadata: jsonText(metadata),
      ...(kind === "generation" ? nameGeneration(observation) : {}),
    };
  },
};

/** The text of messages; any other value that is not text as JSON, with its MIME type. */
function nameValue(prefix: "input" | "output", content: Content | undefined): Attributes {
  if (content === undefined) return {};
  const isText = content.kind === "messages" || typeof content.value === "string";
  return {
    [`${prefix}.value`]: textOf(content),
    [`${prefix}.mime_type`]: isText ? "text/plain" : "application/json",
  };
}

function nameGeneration(observation: Observation): Attributes {
  const { generation, input, output } = observation;
  const prompt = promptTokens(observation);
  const completion = outputTokens(observation);
  const model = generation?.model ?? undefined;
  return {
    "llm.system": "anthropic",
    "llm.provider": "anthropic",
    "llm.model_name": model,
    "llm.finish_reason": generation?.stopReason ?? undefined,
    "llm.invocation_parameters": generation?.speed === "fast" ? jsonText({ speed: "fast" }) : undefined,
    ...nameMessages("llm.input_messages", messagesOf(input)),
    ...nameMessages("llm.output_messages", messagesOf(output)),
    "llm.token_count.prompt": prompt,
    "llm.token_count.completion": completion,
    "llm.token_count.total": prompt === undefined || completion === undefined ? undefined : prompt + completion,
    "llm.token_count.prompt_details.cache_read": generation?.usage?.cacheRead,
    "llm.token_count.prompt_details.cache_write": cacheWriteTokens(observation),
    ...(generation?.costs ? nameCosts(generation.costs, generation.costUsd) : {}),
  };
}

function nameCosts({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: Costs, total: number | null): Attributes {
  return {
    "llm.cost.prompt": input + cacheRead + cacheWrite5m + cacheWrite1h,
    "llm.cost.completion": output,
    "llm.cost.total": total ?? undefined,
    "llm.cost.prompt_details.input": input,
    "llm.cost.prompt_details.cache_read": cacheRead,
    "llm.cost.prompt_details.cache_write": cacheWrite5m + cacheWrite1h,
  };
}

function nameMessages(prefix: string, messages: readonly ChatMessage[]): Attributes {
  return Object.assign({}, ...messages.map((message, at) => nameMessage(`${prefix}.${at}.message`, message)));
}

/** Text alone is the content; with thinking, the parts keep their order. */
function nameMessage(prefix: string, { role, parts }: ChatMessage): Attributes {
  const result = parts.find((part) => part.kind === "toolResult");
  if (role === "tool" && result) {
    return {
      [`${prefix}.role`]: role,
      [`${prefix}.tool_call_id`]: result.id,
      [`${prefix}.name`]: result.name ?? undefined,
      [`${prefix}.content`]: result.text ?? "",
    };
  }
  const said = parts.flatMap((part) => (part.kind === "text" || part.kind === "reasoning" ? [part] : []));
  const calls = parts.flatMap((part) => (part.kind === "toolCall" ? [part] : []));
  const isPlain = said.every(({ kind }) => kind === "text");
  return {
    [`${prefix}.role`]: role,
    ...(isPlain && said.length > 0 ? { [`${prefix}.content`]: said.map(({ text }) => text).join("\n") } : {}),
    ...(isPlain
      ? {}
      : flatten(
          `${prefix}.contents`,
          said.map(({ kind, text }) => nameContent(kind, text)),
        )),
    ...flatten(
      `${prefix}.tool_calls`,
      calls.map(({ id, name, input }) => ({
        "tool_call.id": id,
        "tool_call.function.name": name,
        "tool_call.function.arguments": jsonText(input) ?? "{}",
      })),
    ),
  };
}

function nameContent(kind: "text" | "reasoning", text: string): Attributes {
  return { "message_content.type": kind, "message_content.text": text };
}

function flatten(prefix: string, items: readonly Attributes[]): Attributes {
  return Object.fromEntries(
    items.flatMap((item, at) => Object.entries(item).map(([key, value]) => [`${prefix}.${at}.${key}`, value])),
  );
}
