import { isObject, type JsonObject, objectAt, stringAt } from "../json.js";
import { type AssistantRecord, isKnownType, type LogRecord, type UserRecord } from "./record.js";

export type NameKind =
  | "type"
  | "field" // of a record
  | "messageField"
  | "blockType"
  | "blockField"
  | "usageField"
  | "stopReason"
  | "systemSubtype"
  | "attachmentType"
  | "progressType";

/** A name that is missing in the lists below, and the type of the record or block in which it was seen. */
export interface UnknownName {
  readonly kind: NameKind;
  readonly name: string;
  readonly within: string;
}

/** The names in a record that a newer version or another program wrote. */
export function unknownNames(record: LogRecord): UnknownName[] {
  if (record.kind === "broken") return [];
  const { type, raw } = record;
  return [...unknownOf("type", isKnownType(type) ? [] : [type], type), ...fields(raw, type), ...inside(record)];
}

function fields(raw: JsonObject, type: string): UnknownName[] {
  return unknownOf("field", keysOutside(raw, RECORD_FIELDS.get(type)), type);
}

function inside(record: Exclude<LogRecord, { kind: "broken" }>): UnknownName[] {
  switch (record.kind) {
    case "user":
      return insideMessage(record);
    case "assistant":
      return [...insideMessage(record), ...insideAnswer(record)];
    case "system":
      return unknownOf("systemSubtype", outside(record.subtype, SYSTEM_SUBTYPES), record.type);
    case "attachment":
      return unknownOf("attachmentType", outside(record.attachmentType, ATTACHMENT_TYPES), record.type);
    case "progress":
      return unknownOf("progressType", outside(record.progressType, PROGRESS_TYPES), record.type);
    default:
      return [];
  }
}

function insideMessage({ raw, type, blocks }: UserRecord | AssistantRecord): UnknownName[] {
  const message = keysOutside(objectAt(raw, "message"), MESSAGE_FIELDS.get(type));
  return [...unknownOf("messageField", message, type), ...blocks.flatMap((block) => insideBlock(block.raw, type))];
}

function insideBlock(raw: unknown, recordType: string): UnknownName[] {
  const type = stringAt(raw, "type") ?? "";
  if (!isKnownBlock(type)) return unknownOf("blockType", [type], recordType);
  return unknownOf("blockField", extraBlockFields(raw), type);
}

/** Results of the API's own tools are named after the tool, and shaped by it. */
function isKnownBlock(type: string): boolean {
  return BLOCK_FIELDS.has(type) || type.endsWith("_tool_result");
}

/** Fields of a content block that the API would refuse. */
export function extraBlockFields(block: unknown): string[] {
  return keysOutside(isObject(block) ? block : undefined, BLOCK_FIELDS.get(stringAt(block, "type") ?? ""));
}

function insideAnswer({ raw, stopReason, type }: AssistantRecord): UnknownName[] {
  const usage = objectAt(raw, "message", "usage") ?? {};
  const names = Object.entries(usage).flatMap(([name, value]) => [
    name,
    ...(isObject(value) ? Object.keys(value).map((key) => `${name}.${key}`) : []),
  ]);
  const unknown = names.filter((name) => !USAGE_FIELDS.has(name));
  return [
    ...unknownOf("usageField", unknown, type),
    ...unknownOf("stopReason", outside(stopReason, STOP_REASONS), type),
  ];
}

function keysOutside(object: JsonObject | undefined, known: ReadonlySet<string> | undefined): string[] {
  return object && known ? Object.keys(object).filter((key) => !known.has(key)) : [];
}

function outside(name: string | undefined, known: ReadonlySet<string>): string[] {
  return name === undefined || known.has(name) ? [] : [name];
}

function unknownOf(kind: NameKind, names: readonly string[], within: string): UnknownName[] {
  return names.map((name) => ({ kind, name, within }));
}

/** Every name that Claude Code 2.0.36 to 2.1.325 is known to write. A name that is missing here is drift, not an error. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const ENVELOPE = `type uuid parentUuid timestamp sessionId isSidechain userType cwd version gitBranch agentId slug entrypoint
  session_id forkedFrom isMeta recordedBy`;

/** Top-level fields by record type. A known type without an entry may carry anything. */
const RECORD_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    user: `${ENVELOPE} message isCompactSummary isVisibleInTranscriptOnly toolUseResult permissionMode
      sourceToolAssistantUUID thinkingMetadata todos promptId promptSource turnOrigin origin turnPosition permissionDecision
      toolDenialKind interruptedMessageId sandboxed turnCompanion queueSkipAttachments summarizedTurnPromptUuids
      sourceToolUseID mcpMeta imagePasteIds refusedMessageId queueTranscriptOnly`,
    assistant: `${ENVELOPE} message requestId isApiErrorMessage error apiError apiErrorStatus apiErrorType apiErrorParams
      failedResponseHadNoToolCall apiBlockIndex effort perTurnEffort requestRef requestedModel thinkingDurationMs
      thinkingDisplay promptCacheRequested madeBy toolInputStreamMs serverClassifierRequest isAbortedMidStream
      attributionAgent attributionSkill attributionMcpServer attributionMcpTool apiErrorIsTransient refusedMessageId`,
    system: `${ENVELOPE} subtype content level logicalParentUuid compactMetadata commandRun durationMs messageCount
      pendingBackgroundAgentCount hookCount hookInfos hookErrors preventedContinuation stopReason hasOutput toolUseID error
      retryInMs retryAttempt maxRetries hookAdditionalContext contextUsage commandOutcome microcompactMetadata source
      originalModel requestId apiRefusalCategory apiRefusalExplanation refusedUserMessageUuid`,
    attachment: `${ENVELOPE} attachment rendered renderedRole renderedBesideToolResult renderedInHumanTurn`,
    progress: `${ENVELOPE} data toolUseID parentToolUseID`,
    "queue-operation": "type operation timestamp sessionId content reason commandUuid deliveryId",
    "file-history-snapshot": "type messageId isSnapshotUpdate snapshot",
    "file-history-delta": "type messageId snapshotMessageId trackingPath backup timestamp",
    summary: "type summary leafUuid",
    "custom-title": "type customTitle sessionId",
    "agent-name": "type agentName sessionId",
    "ai-title": "type aiTitle sessionId",
    mode: "type mode sessionId",
    "permission-mode": "type permissionMode sessionId",
    "tools-used": "type tools sessionId",
    "worktree-state": "type worktreeSession sessionId",
    relocated: "type relocatedCwd sessionId",
    tag: "type tag sessionId",
    "pr-link": "type prNumber prUrl prRepository timestamp sessionId",
    "last-prompt": "type lastPrompt leafUuid explicit sessionId",
    "atis-latch": "type atis sessionId",
    "cost-state": `type sessionId totalCostUSD totalAPIDuration totalAPIDurationWithoutRetries totalToolDuration
      totalLinesAdded totalLinesRemoved totalDuration startTime modelUsage hasUnknownModelCost`,
    "api-request": `type sessionId id timestamp version querySource shapeHash params base keep tail cacheControl
      requestDigest agentId`,
    "api-request-shape": "type sessionId shapeHash shape timestamp version agentId",
    "api-request-blob": "type sessionId hash message agentId",
  }).map(([type, fields]) => [type, words(fields)]),
);

/** Fields of `message`, by record type. */
const MESSAGE_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["user", words("role content")],
  [
    "assistant",
    words(`id type role model content stop_reason stop_sequence stop_details usage container context_management
      diagnostics`),
  ],
]);

/** Counters of `message.usage`, nested ones with a dot. */
const USAGE_FIELDS: ReadonlySet<string> = words(`
  input_tokens output_tokens cache_creation_input_tokens cache_read_input_tokens
  cache_creation cache_creation.ephemeral_5m_input_tokens cache_creation.ephemeral_1h_input_tokens
  service_tier inference_geo server_tool_use server_tool_use.web_search_requests server_tool_use.web_fetch_requests
  iterations speed output_tokens_details output_tokens_details.thinking_tokens fallback_credit`);

/** Fields of content blocks that the API takes, by block type; Claude Code sends a block as it was recorded. */
const BLOCK_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    text: "type text citations cache_control",
    thinking: "type thinking signature",
    redacted_thinking: "type data",
    tool_use: "type id name input caller cache_control",
    tool_result: "type tool_use_id content is_error cache_control",
    server_tool_use: "type id name input caller cache_control",
    image: "type source cache_control",
    document: "type source title context citations cache_control",
  }).map(([type, fields]) => [type, words(fields)]),
);

const STOP_REASONS: ReadonlySet<string> = words(
  "end_turn tool_use max_tokens stop_sequence pause_turn refusal model_context_window_exceeded",
);

const SYSTEM_SUBTYPES: ReadonlySet<string> = words(
  "compact_boundary microcompact_boundary local_command turn_duration stop_hook_summary api_error informational model_refusal_no_fallback",
);

const ATTACHMENT_TYPES: ReadonlySet<string> = words(`
  queued_command file hook_success hook_additional_context hook_blocking_error command_permissions unknown_command_fallback plan_mode plan_mode_exit instructions environment model
  session_context date skill_listing agent_listing_delta deferred_tools_delta auto_mode remote_session_change
  prompt_snapshot todo_reminder task_reminder total_tokens_reminder`);

const PROGRESS_TYPES: ReadonlySet<string> = words(
  "hook_progress agent_progress bash_progress query_update search_results_received waiting_for_task",
);
