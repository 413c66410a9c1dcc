import { stringAt } from "../../format/json.js";
import type { Observation } from "../observe/observation.js";
import { jsonText, type NameAttributes, outputTokens, plainText, plainValue, promptTokens } from "./attribute.js";

const OPERATIONS = {
  turn: "invoke_agent",
  agent: "invoke_agent",
  generation: "chat",
  tool: "execute_tool",
  error: undefined,
} as const;

/** OpenTelemetry's semantic conventions for generative AI. Everything else is named `turnlog.…`. */
export const nameGenAi: NameAttributes = (observation, trace) => {
  const { kind, metadata, generation } = observation;
  const own = Object.entries(metadata).map(([key, value]) => [`turnlog.${key}`, plainValue(value)]);
  return {
    "gen_ai.operation.name": OPERATIONS[kind],
    "gen_ai.provider.name": "anthropic",
    "gen_ai.conversation.id": trace.sessionId,
    "user.id": trace.userId ?? undefined,
    "turnlog.tags": trace.tags.length === 0 ? undefined : trace.tags,
    "gen_ai.agent.name": kind === "turn" ? "claude-code" : kind === "agent" ? observation.name : undefined,
    "gen_ai.agent.id": kind === "agent" ? stringAt(metadata, "agent_id") : undefined,
    "error.type": observation.level === "ERROR" ? (kind === "tool" ? "tool_error" : "api_error") : undefined,
    ...(kind === "tool" ? nameTool(observation) : nameMessages(observation)),
    ...(generation === null ? {} : nameGeneration(observation, generation)),
    ...Object.fromEntries(own),
  };
};

function nameTool({ name, metadata, input, output }: Observation): ReturnType<NameAttributes> {
  return {
    "gen_ai.tool.name": name,
    "gen_ai.tool.call.id": stringAt(metadata, "tool_id"),
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.arguments": jsonText(input),
    "gen_ai.tool.call.result": plainText(output),
  };
}

function nameMessages({ input, output, generation }: Observation): ReturnType<NameAttributes> {
  const finish = generation?.stopReason ?? undefined;
  return {
    "gen_ai.input.messages": jsonText(toParts(input)),
    "gen_ai.output.messages": jsonText(toParts(output, finish)),
  };
}

function toParts(message: unknown, finishReason?: string): unknown {
  if (message === undefined) return undefined;
  const parts = [{ type: "text", content: stringAt(message, "content") ?? "" }];
  const finish = finishReason === undefined ? {} : { finish_reason: finishReason };
  return [{ role: stringAt(message, "role"), parts, ...finish }];
}

function nameGeneration(
  observation: Observation,
  { model, responseId, stopReason, usage, costUsd }: NonNullable<Observation["generation"]>,
): ReturnType<NameAttributes> {
  return {
    "gen_ai.request.model": model ?? undefined,
    "gen_ai.response.model": model ?? undefined,
    "gen_ai.response.id": responseId ?? undefined,
    "gen_ai.response.finish_reasons": stopReason === null ? undefined : [stopReason],
    "gen_ai.usage.input_tokens": promptTokens(observation),
    "gen_ai.usage.output_tokens": outputTokens(observation),
    "gen_ai.usage.cache_read.input_tokens": usage?.cacheRead,
    "gen_ai.usage.cache_creation.input_tokens": usage ? usage.cacheWrite5m + usage.cacheWrite1h : undefined,
    "turnlog.cost_usd": costUsd ?? undefined,
  };
}
