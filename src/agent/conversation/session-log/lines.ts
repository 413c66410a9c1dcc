import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../../format/json.js";
import type { ApiBlock } from "../../../format/record/api-message.js";
import type { Usage } from "../../../session/messages/usage.js";
import type { Refusal } from "../../tools/tool-context.js";

/** The content of a record; the recorder adds session, folder and time. */
export interface LineBody extends JsonObject {
  readonly type: "user" | "assistant" | "system" | "progress";
}

export type PromptSource = "typed" | "sdk" | "system";

export interface PromptFields {
  readonly promptId: string;
  readonly permissionMode: string;
  readonly source: PromptSource;
  readonly turnIndex: number;
  /** On the first prompt that turnlog records in a session. */
  readonly context: { readonly date: string; readonly gitSnapshot: string | undefined } | undefined;
}

export function promptLine(content: string | readonly ApiBlock[], fields: PromptFields): LineBody {
  const { promptId, permissionMode, source, turnIndex, context } = fields;
  const origins = { typed: "human", sdk: "sdk", system: "task_notification" } as const;
  return {
    promptId,
    type: "user",
    message: { role: "user", content },
    permissionMode,
    ...(source === "typed" ? { origin: { kind: "human" } } : {}),
    ...(source === "system" ? { origin: { kind: "task-notification" } } : {}),
    promptSource: source,
    turnOrigin: origins[source],
    turnPosition: { promptIndex: source === "typed" ? turnIndex : 0, turnIndex },
    ...(context === undefined ? {} : { promptContext: context }),
  };
}

/** The prompt of a sub-agent. */
export function agentPromptLine(prompt: string, promptId: string): LineBody {
  return { promptId, type: "user", message: { role: "user", content: prompt } };
}

/** A queued message, delivered after tool results. */
export function followUpLine(content: string | readonly ApiBlock[], promptId: string): LineBody {
  return { promptId, type: "user", message: { role: "user", content }, origin: { kind: "human" } };
}

/** Injected text: the model reads it, the user did not write it. */
export function metaLine(text: string, promptId: string): LineBody {
  return { promptId, type: "user", message: { role: "user", content: text }, isMeta: true };
}

export interface AnswerHead {
  readonly id: string;
  readonly model: string;
  readonly requestId: string | undefined;
  readonly requestedModel: string;
  readonly effort: string | undefined;
  readonly agentType: string | undefined;
}

export interface AnswerEnd {
  readonly stopReason: string | null;
  readonly stopSequence: string | null;
  readonly stopDetails?: unknown;
  readonly usage: JsonObject;
}

export interface AnswerPart {
  readonly block: ApiBlock;
  readonly index: number;
  readonly uuid: string;
  /** When the block ended. */
  readonly time: string;
}

export function answerLine(
  head: AnswerHead,
  { block, index }: Pick<AnswerPart, "block" | "index">,
  end: AnswerEnd,
  isAborted: boolean,
): LineBody {
  return {
    message: {
      id: head.id,
      type: "message",
      role: "assistant",
      model: head.model,
      content: [block],
      stop_reason: end.stopReason,
      stop_sequence: end.stopSequence,
      usage: end.usage,
      // Absent in messages that were cut (2.1.326).
      ...(end.stopReason === null ? {} : { stop_details: end.stopDetails ?? null }),
    },
    apiBlockIndex: index,
    ...(head.requestId === undefined ? {} : { requestId: head.requestId }),
    requestedModel: head.requestedModel,
    promptCacheRequested: "5m",
    ...(head.agentType === undefined ? {} : { attributionAgent: head.agentType }),
    type: "assistant",
    ...(isAborted ? { isAbortedMidStream: true } : {}),
    ...(head.effort === undefined ? {} : { effort: head.effort, perTurnEffort: head.effort }),
    madeBy: "model",
  };
}

const NO_USAGE = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: null,
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
};

interface ApiErrorFields {
  readonly kind: string;
  readonly message: string;
  readonly status: number | undefined;
}

export function apiErrorText({ status, message }: Omit<ApiErrorFields, "kind">): string {
  return `API Error: ${status === undefined ? "" : `${status} `}${message}`;
}

/** An API error as Claude Code records it: a synthetic message. */
export function apiErrorLine(error: ApiErrorFields): LineBody {
  const { kind, status } = error;
  return {
    type: "assistant",
    message: {
      id: randomUUID(),
      type: "message",
      role: "assistant",
      model: "<synthetic>",
      content: [{ type: "text", text: apiErrorText(error) }],
      stop_reason: "stop_sequence",
      stop_sequence: "",
      usage: NO_USAGE,
    },
    isApiErrorMessage: true,
    error: kind,
    ...(status === undefined ? {} : { apiErrorStatus: status }),
  };
}

export interface ResultFields {
  readonly callId: string;
  readonly content: string | readonly ApiBlock[];
  readonly isError: boolean;
  readonly data: unknown;
  readonly callUuid: string;
  readonly denialKind: "interrupted" | undefined;
  readonly permission: JsonObject | undefined;
  readonly refusal?: Refusal | undefined;
}

export function resultLine(fields: ResultFields, promptId: string): LineBody {
  const { denialKind, permission, refusal } = fields;
  return {
    promptId,
    type: "user",
    message: { role: "user", content: [resultBlock(fields)] },
    ...(fields.data === undefined ? {} : { toolUseResult: fields.data }),
    ...(denialKind === undefined ? {} : { toolDenialKind: denialKind }),
    ...(refusal === undefined ? {} : refusalFields(refusal)),
    sourceToolAssistantUUID: fields.callUuid,
    ...(permission === undefined ? {} : { permissionDecision: permission }),
  };
}

/** As 2.1.326 records a no at a permission prompt, and the words typed with it. */
function refusalFields({ feedback }: Refusal): JsonObject {
  return {
    toolDenialKind: "user-rejected",
    ...(feedback === undefined ? {} : { userFeedback: feedback, holdsPersonsWords: true }),
    permissionDecision: { decision: "reject", source: "user_reject" },
  };
}

export function resultBlock({
  callId,
  content,
  isError,
}: Pick<ResultFields, "callId" | "content" | "isError">): ApiBlock {
  return { tool_use_id: callId, type: "tool_result", content, ...(isError ? { is_error: true } : {}) };
}

export const INTERRUPTED = "[Request interrupted by user]";
export const INTERRUPTED_TOOL = "[Request interrupted by user for tool use]";

export function interruptLine(text: string, promptId: string, messageId: string | undefined): LineBody {
  return {
    promptId,
    type: "user",
    message: { role: "user", content: [{ type: "text", text }] },
    ...(messageId === undefined ? {} : { interruptedMessageId: messageId }),
  };
}

export function turnDurationLine(durationMs: number, messageCount: number, pendingAgents: number): LineBody {
  const pending = pendingAgents === 0 ? {} : { pendingBackgroundAgentCount: pendingAgents };
  return { type: "system", subtype: "turn_duration", durationMs, messageCount, ...pending, isMeta: false };
}

export interface StopHookRun {
  readonly command: string;
  readonly durationMs: number;
  readonly block: string | undefined;
  readonly problem: string | undefined;
  readonly hasOutput: boolean;
}

/** The results of Stop hooks. */
export function stopHookLine(runs: readonly StopHookRun[], toolUseId: string): LineBody {
  const blocks = runs.flatMap(({ block }) => block ?? []);
  return {
    type: "system",
    subtype: "stop_hook_summary",
    hookCount: runs.length,
    hookInfos: runs.map(({ command, durationMs }) => ({ command, durationMs })),
    hookErrors: runs.flatMap(({ problem }) => problem ?? []),
    hookAdditionalContext: [],
    preventedContinuation: false,
    stopReason: blocks.join("\n"),
    hasOutput: runs.some(({ hasOutput }) => hasOutput),
    level: "suggestion",
    toolUseID: toolUseId,
    isMeta: false,
  };
}

/** A local slash command and its output. */
export function localCommandLines(command: string, args: string, output: string): readonly LineBody[] {
  const tags = `<command-name>/${command}</command-name>\n<command-message>${command}</command-message>\n<command-args>${args}</command-args>`;
  const common = { type: "system", subtype: "local_command", level: "info", isMeta: false } as const;
  return [
    { ...common, content: tags },
    { ...common, content: `<local-command-stdout>${output}</local-command-stdout>`, commandRun: { command, args } },
  ];
}

export interface CompactionFields {
  readonly trigger: "manual" | "auto";
  readonly preTokens: number;
  readonly postTokens: number;
  readonly durationMs: number;
  readonly logicalParentUuid: string | null;
}

export function boundaryLine({
  trigger,
  preTokens,
  postTokens,
  durationMs,
  logicalParentUuid,
}: CompactionFields): LineBody {
  return {
    ...(logicalParentUuid === null ? {} : { logicalParentUuid }),
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    isMeta: false,
    level: "info",
    compactMetadata: { trigger, preTokens, durationMs, postTokens },
  };
}

export function compactSummaryLine(text: string, promptId: string): LineBody {
  return {
    promptId,
    type: "user",
    message: { role: "user", content: text },
    isVisibleInTranscriptOnly: true,
    isCompactSummary: true,
  };
}

/** For display; never the parent of a record. */
export function progressLine(data: JsonObject, toolUseId: string, parentToolUseId: string): LineBody {
  return { type: "progress", data, toolUseID: toolUseId, parentToolUseID: parentToolUseId };
}

export function toWireUsage({
  input,
  output,
  cacheRead,
  cacheWrite5m,
  cacheWrite1h,
  webSearches,
  webFetches,
}: Usage): JsonObject {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    server_tool_use: { web_search_requests: webSearches, web_fetch_requests: webFetches },
  };
}
