import { randomUUID } from "node:crypto";
import type { TurnResult } from "../../agent/chat.js";
import type { OpenedChat } from "../../agent/open-chat.js";
import type { RecordedLine } from "../../agent/record/recorder.js";
import { toWireUsage } from "../../agent/wire/usage.js";
import { isTrueAt, objectAt } from "../../format/json.js";

/** What `--output-format stream-json` prints: the messages of the client's own stream. */

export interface TurnTotals {
  readonly denials: readonly {
    readonly tool_name: string;
    readonly tool_use_id: string;
    readonly tool_input: unknown;
  }[];
}

export function initMessage({ chat, tools, modelName, desk, agentTypes }: OpenedChat, cwd: string): object {
  return {
    type: "system",
    subtype: "init",
    cwd,
    session_id: chat.sessionId,
    tools: tools.map(({ name }) => name),
    mcp_servers: [],
    model: modelName,
    permissionMode: desk.mode,
    slash_commands: [],
    agents: agentTypes.map(({ name }) => name),
    apiKeySource: "ANTHROPIC_API_KEY",
    output_style: "default",
    uuid: randomUUID(),
  };
}

/** Undefined for lines that are no part of the talk. */
export function lineMessage(line: RecordedLine, parentCallId: string | null, sessionId: string): object | undefined {
  if (line["subtype"] === "compact_boundary" && parentCallId === null) return boundaryMessage(line, sessionId);
  if (line.type !== "assistant" && line.type !== "user") return undefined;
  const isPrompt = line.type === "user" && line["promptSource"] !== undefined;
  if (isPrompt || isTrueAt(line, "isMeta") || isTrueAt(line, "isApiErrorMessage")) return undefined;
  return {
    type: line.type,
    message: line["message"],
    parent_tool_use_id: parentCallId,
    session_id: sessionId,
    uuid: line.uuid,
    ...(line["toolUseResult"] === undefined ? {} : { tool_use_result: line["toolUseResult"] }),
  };
}

function boundaryMessage(line: RecordedLine, sessionId: string): object {
  const { trigger, preTokens } = objectAt(line, "compactMetadata") ?? {};
  return {
    type: "system",
    subtype: "compact_boundary",
    compact_metadata: { trigger, pre_tokens: preTokens },
    session_id: sessionId,
    uuid: line.uuid,
  };
}

const SUBTYPES: Readonly<Record<TurnResult["end"], string>> = {
  done: "success",
  "max-turns": "error_max_turns",
  "max-cost": "error_max_budget_usd",
  "api-error": "error_during_execution",
  blocked: "error_during_execution",
  refusal: "error_during_execution",
  "cut-off": "error_during_execution",
  repeated: "error_during_execution",
  interrupted: "error_during_execution",
};

export function resultMessage(result: TurnResult, { chat, spending }: OpenedChat, { denials }: TurnTotals): object {
  const models = [...spending.byModel].map(([model, usage]) => [
    model,
    {
      inputTokens: usage.input,
      outputTokens: usage.output,
      cacheReadInputTokens: usage.cacheRead,
      cacheCreationInputTokens: usage.cacheWrite5m + usage.cacheWrite1h,
      webSearchRequests: usage.webSearches,
      costUSD: spending.costOfModel(model),
    },
  ]);
  return {
    type: "result",
    subtype: SUBTYPES[result.end],
    is_error: result.end !== "done",
    duration_ms: result.durationMs,
    duration_api_ms: spending.apiMs,
    num_turns: result.turns,
    result: result.error ? `API Error: ${result.error.message}` : result.text,
    session_id: chat.sessionId,
    total_cost_usd: spending.cost,
    usage: toWireUsage(spending.usage),
    modelUsage: Object.fromEntries(models),
    permission_denials: denials,
    uuid: randomUUID(),
  };
}
