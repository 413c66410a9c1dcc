import { stringAt } from "../../format/json.js";
import type { ObservationKind } from "../observe/observation.js";
import { cacheWriteTokens, outputTokens, type Vocabulary } from "./attribute.js";
import { genAi } from "./gen-ai.js";

/** As Claude Code names the spans of its own traces, where it has such a span. */
const NAMES: Readonly<Record<ObservationKind, string>> = {
  turn: "claude_code.turn",
  agent: "claude_code.agent",
  generation: "claude_code.llm_request",
  tool: "claude_code.tool",
  error: "claude_code.api_error",
  followUp: "claude_code.follow_up",
  compaction: "claude_code.compaction",
  hook: "claude_code.hook",
  wait: "claude_code.tool.blocked_on_user",
  lostResult: "claude_code.lost_result",
};

/**
 * For Jaeger, Tempo, Honeycomb and Datadog: ten span names in all, so that they group, and short attributes to filter by, named as in
 * Claude Code's own traces.
 */
export const general: Vocabulary = {
  name: ({ kind }) => NAMES[kind],
  attributes: (observation, trace) => {
    const { kind, name, metadata, generation, level, startMs, endMs } = observation;
    const usage = generation?.usage;
    return {
      "span.type": NAMES[kind].slice("claude_code.".length),
      duration_ms: endMs - startMs,
      success: kind === "tool" || kind === "generation" || kind === "turn" ? level !== "ERROR" : undefined,
      tool_name: kind === "tool" || kind === "wait" ? stringAt(metadata, "tool_name") : undefined,
      tool_use_id: kind === "tool" ? stringAt(metadata, "tool_id") : undefined,
      hook_name: kind === "hook" ? name : undefined,
      "agent.name": kind === "agent" ? name : (generation?.agentType ?? undefined),
      query_source: generation === null ? undefined : generation.agentType === null ? "main" : "subagent",
      model: generation?.model ?? undefined,
      input_tokens: usage?.input,
      output_tokens: outputTokens(observation),
      cache_read_tokens: usage?.cacheRead,
      cache_creation_tokens: cacheWriteTokens(observation),
      cost_usd: generation?.costUsd ?? undefined,
      stop_reason: generation?.stopReason ?? undefined,
      "app.version": stringAt(metadata, "client_version"),
      ...genAi.attributes(observation, trace),
    };
  },
};
