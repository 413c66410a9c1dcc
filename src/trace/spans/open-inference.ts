import { stringAt } from "../../format/json.js";
import type { Observation } from "../observe/observation.js";
import { jsonText, type NameAttributes, outputTokens, plainText, promptTokens } from "./attribute.js";

const KINDS = { turn: "AGENT", agent: "AGENT", generation: "LLM", tool: "TOOL", error: "CHAIN" } as const;

/** The conventions of OpenInference: Phoenix, Arize and others. */
export const nameOpenInference: NameAttributes = (observation, trace) => {
  const { kind, name, input, output, metadata } = observation;
  return {
    "openinference.span.kind": KINDS[kind],
    "session.id": trace.sessionId,
    "user.id": trace.userId ?? undefined,
    "tag.tags": trace.tags.length === 0 ? undefined : trace.tags,
    ...nameValue("input", input),
    ...nameValue("output", output),
    "agent.name": kind === "turn" ? "claude-code" : kind === "agent" ? name : undefined,
    "tool.name": kind === "tool" ? name : undefined,
    "tool.id": kind === "tool" ? stringAt(metadata, "tool_id") : undefined,
    metadata: jsonText(metadata),
    ...(kind === "generation" ? nameGeneration(observation) : {}),
  };
};

/** The text of a message; any other value as JSON, with its MIME type. */
function nameValue(prefix: "input" | "output", value: unknown): ReturnType<NameAttributes> {
  if (value === undefined) return {};
  const words = typeof value === "string" ? value : stringAt(value, "role") ? stringAt(value, "content") : undefined;
  return {
    [`${prefix}.value`]: words ?? plainText(value),
    [`${prefix}.mime_type`]: words === undefined ? "application/json" : "text/plain",
  };
}

function nameGeneration(observation: Observation): ReturnType<NameAttributes> {
  const { generation } = observation;
  const prompt = promptTokens(observation);
  const completion = outputTokens(observation);
  const usage = generation?.usage;
  return {
    "llm.model_name": generation?.model ?? undefined,
    "llm.provider": "anthropic",
    "llm.token_count.prompt": prompt,
    "llm.token_count.completion": completion,
    "llm.token_count.total": prompt === undefined || completion === undefined ? undefined : prompt + completion,
    "llm.token_count.prompt_details.cache_read": usage?.cacheRead,
    "llm.token_count.prompt_details.cache_write": usage ? usage.cacheWrite5m + usage.cacheWrite1h : undefined,
    "llm.cost.total": generation?.costUsd ?? undefined,
    "llm.invocation_parameters": generation?.speed === "fast" ? jsonText({ speed: "fast" }) : undefined,
  };
}
