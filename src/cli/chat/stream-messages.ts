import { randomUUID } from "node:crypto";
import type { TurnResult } from "../../agent/conversation/chat.js";
import { apiErrorText, toWireUsage } from "../../agent/conversation/session-log/lines.js";
import { LAYOUT_VERSION, type RecordedLine } from "../../agent/conversation/session-log/recorder.js";
import type { OpenedChat } from "../../agent/open-chat.js";
import { isTrueAt, numberAt, valueAt } from "../../format/json.js";
import type { Usage } from "../../session/messages/usage.js";
import type { Io } from "../io.js";
import { describeEnd } from "./describe-end.js";

/** The messages of `--output-format stream-json`, as in Claude Code 2.1.326. */

export interface TurnTotals {
  readonly denials: readonly {
    readonly tool_name: string;
    readonly tool_use_id: string;
    readonly tool_input: unknown;
  }[];
  readonly stopReason: string | null;
  /** Of this turn only. */
  readonly usage: Usage;
}

export function initMessage({ chat, tools, modelName, desk, agentTypes }: OpenedChat, { cwd, env }: Io): object {
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
    apiKeySource: env["ANTHROPIC_API_KEY"] ? "ANTHROPIC_API_KEY" : "ANTHROPIC_AUTH_TOKEN",
    claude_code_version: LAYOUT_VERSION,
    output_style: "default",
    agents: agentTypes.map(({ name }) => name),
    uuid: randomUUID(),
  };
}

/** Undefined for records that are not part of the conversation. */
export function lineMessage(line: RecordedLine, parentCallId: string | null, sessionId: string): object | undefined {
  const place = { session_id: sessionId, uuid: line.uuid };
  if (line["subtype"] === "compact_boundary" && parentCallId === null)
    return { type: "system", subtype: "compact_boundary", ...place, compact_metadata: compactMetadata(line) };
  const isPrompt = line.type === "user" && line["promptSource"] !== undefined;
  if ((line.type !== "assistant" && line.type !== "user") || isPrompt) return undefined;
  return {
    type: line.type,
    message: line["message"],
    parent_tool_use_id: parentCallId,
    ...place,
    timestamp: line.timestamp,
    ...(line["requestId"] === undefined ? {} : { request_id: line["requestId"] }),
    ...(line["toolUseResult"] === undefined ? {} : { tool_use_result: line["toolUseResult"] }),
    ...(isTrueAt(line, "isMeta") || isTrueAt(line, "isCompactSummary") ? { isSynthetic: true } : {}),
    ...(isTrueAt(line, "isApiErrorMessage") ? apiErrorFields(line) : {}),
  };
}

function apiErrorFields(line: RecordedLine): object {
  const status = line["apiErrorStatus"];
  return {
    error: line["error"],
    is_api_error_message: true,
    ...(status === undefined ? {} : { api_error_status: status }),
  };
}

function compactMetadata(line: RecordedLine): object {
  const data = line["compactMetadata"];
  return {
    trigger: valueAt(data, "trigger"),
    pre_tokens: numberAt(data, "preTokens"),
    post_tokens: numberAt(data, "postTokens"),
    duration_ms: numberAt(data, "durationMs"),
  };
}

/** Claude Code reports an API error as a successful result. */
const SUBTYPES: Readonly<Record<TurnResult["end"], string>> = {
  done: "success",
  "api-error": "success",
  refusal: "success",
  "cut-off": "success",
  "max-turns": "error_max_turns",
  "max-cost": "error_max_budget_usd",
  "max-tokens": "error_max_budget_tokens",
  blocked: "error_during_execution",
  repeated: "error_during_execution",
  interrupted: "error_during_execution",
  refused: "error_during_execution",
};

export function resultMessage(result: TurnResult, { chat, spending }: OpenedChat, totals: TurnTotals): object {
  const subtype = SUBTYPES[result.end];
  return {
    type: "result",
    subtype,
    is_error: result.end !== "done",
    duration_ms: result.durationMs,
    duration_api_ms: spending.apiMs,
    num_turns: result.turns,
    result: result.error ? apiErrorText(result.error) : result.text,
    ...(subtype === "success" ? {} : { errors: [describeEnd(result)] }),
    ...(result.error?.status === undefined ? {} : { api_error_status: result.error.status }),
    stop_reason: totals.stopReason,
    session_id: chat.sessionId,
    total_cost_usd: spending.cost,
    usage: toWireUsage(totals.usage),
    modelUsage: modelUsage(spending),
    permission_denials: totals.denials,
    uuid: randomUUID(),
  };
}

function modelUsage(spending: OpenedChat["spending"]): object {
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
  return Object.fromEntries(models);
}
