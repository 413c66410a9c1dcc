import { isObject, type JsonObject, objectAt, stringAt } from "../json.js";
import { type AssistantRecord, isKnownType, type LogRecord, type UserRecord } from "./record.js";

export type NameKind =
  | "type"
  | "field" // of a record
  | "value" // of a field that takes one of a few words
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
      return [...insideMessage(record), ...values(record)];
    case "assistant":
      return [...insideMessage(record), ...insideAnswer(record), ...values(record)];
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

function values({ raw, type }: UserRecord | AssistantRecord): UnknownName[] {
  const found = FIELD_VALUES.flatMap(({ path: [field, inner], known }) =>
    outside(stringAt(raw, field, inner), known).map((value) => `${inner ? `${field}.${inner}` : field} ${value}`),
  );
  return unknownOf("value", found, type);
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

/** Every name that Claude Code 2.0.36 to 2.1.326, or turnlog, is known to write. A name that is missing here is drift, not an error. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const ENVELOPE = `type uuid parentUuid timestamp sessionId isSidechain userType cwd version gitBranch agentId slug entrypoint
  session_id forkedFrom isMeta recordedBy sessionKind teamName agentName`;

/** Top-level fields by record type. A known type without an entry may carry anything. */
const RECORD_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    user: `${ENVELOPE} message isCompactSummary isVisibleInTranscriptOnly toolUseResult permissionMode
      sourceToolAssistantUUID thinkingMetadata todos promptId promptSource turnOrigin origin turnPosition permissionDecision
      toolDenialKind interruptedMessageId sandboxed turnCompanion queueSkipAttachments summarizedTurnPromptUuids
      sourceToolUseID mcpMeta imagePasteIds refusedMessageId queueTranscriptOnly promptShellHandOff mcpSkill invokedSkill
      ephemeral usageLimitNote replacesSpan isVirtual repeatsCompactSummary modelOnlyText summarizeMetadata
      classifierMetaLines classifierBoundary serverClassifierContext hostClassifierContext toolDenialEndsTurn
      toolDenialMonitorBlocked toolDenialUnanswered toolDenialAfterRun toolDenialBeforeRun toolDenialFromHost userFeedback
      toolResultRemedy toolResultTypedCommand sandboxViolations connectorFileLines toolEndsTurn mcpCallNotReadOnly
      holdsPersonsWords interruptedByShutdown sentAsUuid taskDelivery promptContext`,
    assistant: `${ENVELOPE} message requestId isApiErrorMessage error apiError apiErrorStatus apiErrorType apiErrorParams
      failedResponseHadNoToolCall apiBlockIndex effort perTurnEffort requestRef requestedModel thinkingDurationMs
      thinkingDisplay promptCacheRequested madeBy toolInputStreamMs serverClassifierRequest isAbortedMidStream
      attributionAgent attributionSkill attributionMcpServer attributionMcpTool apiErrorIsTransient refusedMessageId
      requestSessionId`,
    system: `${ENVELOPE} subtype content level logicalParentUuid compactMetadata commandRun durationMs messageCount
      pendingBackgroundAgentCount hookCount hookInfos hookErrors preventedContinuation stopReason hasOutput toolUseID error
      retryInMs retryAttempt maxRetries hookAdditionalContext contextUsage commandOutcome microcompactMetadata source
      originalModel requestId apiRefusalCategory apiRefusalExplanation refusedUserMessageUuid usageReport
      pendingWorkflowCount hookLabel totalDurationMs highlight writtenPaths commands heardAtNextPrompt url entry taskId cron
      prompt taskKind cronKind trigger fallbackModel direction scope neutralizedByFork choice snapshotFiles source_uuid msgV
      blocks origin fold`,
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
    "last-prompt": "type lastPrompt leafUuid explicit rewound cutUuid sessionId",
    "atis-latch": "type atis sessionId",
    "cost-state": `type sessionId totalCostUSD totalAPIDuration totalAPIDurationWithoutRetries totalToolDuration
      totalLinesAdded totalLinesRemoved totalDuration startTime modelUsage hasUnknownModelCost`,
    "api-request": `type sessionId id timestamp version querySource shapeHash params base keep tail cacheControl
      requestDigest agentId`,
    "api-request-shape": "type sessionId shapeHash shape timestamp version agentId",
    "api-request-blob": "type sessionId hash message agentId",
    "fork-context-ref": "type sessionId agentId parentSessionId parentLastUuid contextLength",
    "continued-in": "type sessionId timestamp continuedInSessionId",
    "agent-color": "type sessionId agentColor",
    "agent-setting": "type sessionId agentSetting",
    "ended-by-model": "type sessionId timestamp",
    "frame-link": "type sessionId timestamp artifactCount path frameUrl title",
    "bridge-session": `type sessionId bridgeSessionId lastSequenceNum declaredDialogKinds sessionGroupingId noHistoryBackfill
      ownerAccountUuid ownerOrganizationUuid`,
    "isolation-latch": "type sessionId side",
    "content-replacement": "type sessionId agentId replacements",
    "history-suppression": "type sessionId cause vetoedAgainstAccountUuid ts",
    "artifact-comment-monitor": "type sessionId v artifacts accountUuid",
    "artifact-autoreact-ledger": "type sessionId v artifacts accountUuid",
    "observer-ref": "type sessionId agentId observerTaskId observerAgentType observerTaskIds timestamp",
    "memory-mode": "type sessionId mode afterUuid timestamp reason account accountChoice",
    "dev-mods": "type sessionId folder",
    "session-owner": "type sessionId accountUuid organizationUuid",
    "repl-mode": "type sessionId replMode typedEvents",
    "data-flow-records": "type sessionId v records snapshot agentId",
    "data-flow-incomplete": "type sessionId v records snapshot agentId",
    "derived-from": "type sessionId v sessions",
    "resume-head-vouch": "type sessionId sum",
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

/** Fields of user and assistant records that hold one of a few words. */
const FIELD_VALUES: readonly { readonly path: readonly [string, string?]; readonly known: ReadonlySet<string> }[] = [
  {
    path: ["toolDenialKind"],
    known: words(`user-rejected permission-rule automode-blocked automode-unavailable automode-parsing-error interrupted
      cancelled`),
  },
  {
    path: ["turnOrigin"],
    known: words("human sdk task_notification scheduled auto_continuation host_synthetic peer"),
  },
  { path: ["promptSource"], known: words("typed queued suggestion_accepted sdk system") },
  {
    path: ["origin", "kind"],
    known: words(`human channel peer task-notification coordinator observer observer-activity auto-continuation plugin
      voice-call unclassified`),
  },
  {
    path: ["origin", "subkind"],
    known: words("scheduled-trigger peer-send-message projects-relay session-inbox"),
  },
  { path: ["madeBy"], known: words("model input other") },
  { path: ["sessionKind"], known: words("bg daemon daemon-worker") },
];

const SYSTEM_SUBTYPES: ReadonlySet<string> = words(`
  compact_boundary microcompact_boundary local_command turn_duration stop_hook_summary api_error informational away_summary
  memory_saved agents_killed permission_retry bridge_status cloud_session_status scheduled_task_fire model_fallback
  model_refusal_fallback model_refusal_no_fallback model_consent_fallback file_snapshot rewind_stand_in voice_call_talk`);

const ATTACHMENT_TYPES: ReadonlySet<string> = words(`
  queued_command file hook_success hook_additional_context hook_blocking_error command_permissions unknown_command_fallback
  plan_mode plan_mode_exit instructions environment model session_context date skill_listing agent_listing_delta
  deferred_tools_delta auto_mode remote_session_change prompt_snapshot todo_reminder task_reminder total_tokens_reminder
  account_memory_recall advisor_stripped advisor_tool agent_mention already_read_file artifact_opening_prefetch
  async_hook_response async_hook_response_batch at_mention_reference attention_budget auto_mode_exit
  bash_output_audience_note batching_reminder batching_reminder_sent budget_usd claude_app_notice compact_file_reference
  context_efficiency context_sections coordinator_context cowork_memory_context credential_org critical_system_reminder
  date_change deferred_tools_record diagnostics dir_sync_notice directory dynamic_skill edited_image_file edited_text_file
  elapsed_time_reminder fork_briefing goal_status goals hook_cancelled hook_deferred_tool hook_error_during_execution
  hook_non_blocking_error hook_permission_decision hook_plugin_listing hook_stopped_continuation hook_system_message
  inlined_image_paths instruction_files_not_loaded invoked_skills language linked_plugin_tools_note max_turns_reached
  mcp_dropped_tools_delta mcp_instructions_delta mcp_resource memory_update message_pdf_reads nested_memory
  opened_file_in_ide output_limit_note output_style output_style_instructions output_token_usage pdf_reference peer_mention
  plan_file_reference plan_mode_reentry plugin_note poll_events prefix_delta proactivity project_doc_reads
  projects_thread_ask prompt_as_file prompt_render_point read_truncation_notice relevant_memories repl_mcp_needs_auth
  sandbox_instructions secondary_reminder secondary_reminder_sent selected_lines_in_diff selected_lines_in_ide
  session_cron_carry silent_turn_reminder skill_mention structured_output task_status team_context teammate_mailbox
  teammate_shutdown_batch thinking_drop thinking_stripped thread_state token_usage tool_host_result_lines
  tool_hosts_correction tool_hosts_notice tool_results_cut tool_search_usage_reminder ultra_effort_enter ultra_effort_exit
  ultrathink_effort whole_texts_withdrawn widget_context_hint withheld_memory workflow_keyword_request
  workflow_size_guideline_change`);

const PROGRESS_TYPES: ReadonlySet<string> = words(
  "hook_progress agent_progress bash_progress query_update search_results_received waiting_for_task",
);
