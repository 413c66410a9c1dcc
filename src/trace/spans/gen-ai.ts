import { stringAt } from "../../format/json.js";
import type { ChatMessage, ChatPart, Content } from "../observe/conversation.js";
import type { Observation, ObservationKind } from "../observe/observation.js";
import {
  type Attributes,
  agentNameOf,
  cacheWriteTokens,
  errorTypeOf,
  jsonText,
  messagesOf,
  outputTokens,
  plainText,
  prefixed,
  promptTokens,
  textOf,
  type Vocabulary,
} from "./attribute.js";

/** Spans for which the conventions have no name get one of ours, few in number. */
const OTHER_NAMES: Readonly<Partial<Record<ObservationKind, string>>> = {
  error: "claude_code.api_error",
  followUp: "claude_code.follow_up",
  compaction: "claude_code.compaction",
  hook: "claude_code.hook",
  wait: "claude_code.tool.blocked_on_user",
  lostResult: "claude_code.lost_result",
};

const OPERATIONS: Readonly<Partial<Record<ObservationKind, string>>> = {
  turn: "invoke_agent",
  agent: "invoke_agent",
  generation: "chat",
  tool: "execute_tool",
};

/** OpenTelemetry's semantic conventions for generative AI, as of 2026. Everything else is named `turnlog.…`. */
export const genAi: Vocabulary = {
  name: (observation) => {
    const { kind, name } = observation;
    const operation = OPERATIONS[kind];
    return operation === undefined ? (OTHER_NAMES[kind] ?? kind) : `${operation} ${agentNameOf(observation) ?? name}`;
  },
  attributes: (observation, trace) => {
    const { kind, metadata, generation } = observation;
    return {
      "gen_ai.operation.name": OPERATIONS[kind],
      "gen_ai.provider.name": "anthropic",
      "gen_ai.conversation.id": trace.sessionId,
      "session.id": trace.sessionId,
      "user.id": trace.userId ?? undefined,
      "gen_ai.agent.name": agentNameOf(observation) ?? generation?.agentType ?? undefined,
      "gen_ai.agent.id": kind === "agent" ? stringAt(metadata, "agent_id") : undefined,
      "gen_ai.agent.description": kind === "agent" ? stringAt(metadata, "description") : undefined,
      "gen_ai.agent.version": kind === "turn" ? stringAt(metadata, "client_version") : undefined,
      "error.type": errorTypeOf(observation),
      ...contentOf(observation),
      ...(generation === null ? {} : nameGeneration(observation, generation)),
      "turnlog.tags": trace.tags.length === 0 ? undefined : trace.tags,
      "turnlog.level": observation.level === "WARNING" ? "warning" : undefined,
      "turnlog.status": observation.statusMessage ?? undefined,
      ...prefixed("turnlog", metadata),
    };
  },
};

function contentOf(observation: Observation): Attributes {
  const { kind, name, metadata, input, output, generation } = observation;
  if (kind === "tool") {
    return {
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": stringAt(metadata, "tool_id"),
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.arguments": input?.kind === "value" ? jsonText(input.value) : undefined,
      "gen_ai.tool.call.result": output?.kind === "value" ? plainText(output.value) : undefined,
    };
  }
  if (OPERATIONS[kind] === undefined) {
    return { "turnlog.input": textOf(input), "turnlog.output": textOf(output) };
  }
  const isAnswer = generation !== null || output !== undefined;
  return {
    "gen_ai.input.messages": messageList(input),
    "gen_ai.output.messages": isAnswer ? messageList(output, true) : undefined,
  };
}

function messageList(content: Content | undefined, isOutput = false): string | undefined {
  const messages = messagesOf(content).map((message) => toMessage(message, isOutput));
  return messages.length === 0 ? undefined : jsonText(messages);
}

/** `finish_reason` is required in what a model wrote. */
function toMessage({ role, parts, stopReason }: ChatMessage, isOutput: boolean): object {
  const finish = isOutput ? { finish_reason: finishReason(stopReason) } : {};
  return { role, parts: parts.map(toPart), ...finish };
}

function toPart(part: ChatPart): object {
  switch (part.kind) {
    case "text":
    case "reasoning":
      return { type: part.kind, content: part.text };
    case "toolCall":
      return { type: "tool_call", id: part.id, name: part.name, arguments: part.input ?? null };
    case "toolResult":
      return { type: "tool_call_response", id: part.id, response: part.text };
  }
}

const FINISH: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  tool_use: "tool_call",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};

/** A message without a stop reason was broken off. */
function finishReason(stopReason: string | null): string {
  if (stopReason === null) return "error";
  return Object.hasOwn(FINISH, stopReason) ? (FINISH[stopReason] ?? stopReason) : stopReason;
}

function nameGeneration(
  observation: Observation,
  { model, responseId, stopReason, usage, costUsd, speed }: NonNullable<Observation["generation"]>,
): Attributes {
  const written = cacheWriteTokens(observation);
  return {
    "gen_ai.request.model": model ?? undefined,
    "gen_ai.response.model": model ?? undefined,
    "gen_ai.response.id": responseId ?? undefined,
    "gen_ai.response.finish_reasons": stopReason === null ? undefined : [stopReason],
    "gen_ai.usage.input_tokens": promptTokens(observation),
    "gen_ai.usage.output_tokens": outputTokens(observation),
    "gen_ai.usage.cache_read.input_tokens": usage?.cacheRead,
    // The newer name, and the one that it had until the middle of 2026.
    "gen_ai.usage.cache_write.input_tokens": written,
    "gen_ai.usage.cache_creation.input_tokens": written,
    "turnlog.cost_usd": costUsd ?? undefined,
    "turnlog.speed": speed ?? undefined,
  };
}
