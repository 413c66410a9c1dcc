import type { AssistantRecord, LogRecord } from "../format/record.js";
import type { ProblemLog } from "./problem-log.js";
import { isSynthetic, messageKey } from "./session-message.js";

/** Doubts about whole messages, which show only when all their records have passed. */
export interface MessageChecks {
  add(record: LogRecord): void;
  finish(): void;
}

/** System prompt and tool definitions, which no file holds; with many MCP servers they are large. */
const UNSEEN_TOKENS = 100_000;
const BYTES_PER_TOKEN = 4;
/** A text may have up to this many times more tokens than its bytes suggest. */
const ESTIMATE_SLACK = 3;

export function createMessageChecks(log: ProblemLog): MessageChecks {
  const messages = new Map<string, { readonly line: number; hasCall: boolean; isStoppedForTool: boolean }>();
  let contextBytes = 0; // of what stands after the last compaction
  let last: { readonly line: number; readonly tokens: number } | undefined;

  function add(record: LogRecord): void {
    if (record.kind === "broken" || record.kind === "side") return;
    if (!record.isSidechain) addToContext(record);
    if (record.kind === "assistant" && !isSynthetic(record)) addAnswer(record);
  }

  function addToContext(record: Exclude<LogRecord, { kind: "broken" }>): void {
    if (record.kind === "system" && record.subtype === "compact_boundary") {
      contextBytes = 0;
      last = undefined;
    }
    contextBytes += record.length;
    const tokens = record.kind === "assistant" && !isSynthetic(record) ? contextTokens(record) : undefined;
    if (tokens !== undefined) last = { line: record.line, tokens };
  }

  function addAnswer(record: AssistantRecord): void {
    const key = messageKey(record);
    const known = messages.get(key) ?? { line: record.line, hasCall: false, isStoppedForTool: false };
    known.hasCall ||= record.isAbridged || record.blocks.some(({ kind }) => kind === "toolCall");
    known.isStoppedForTool ||= record.stopReason === "tool_use";
    messages.set(key, known);
  }

  function finish(): void {
    for (const { line, hasCall, isStoppedForTool } of messages.values()) {
      if (isStoppedForTool && !hasCall) log.add("stop-without-call", line);
    }
    const likely = UNSEEN_TOKENS + (contextBytes / BYTES_PER_TOKEN) * ESTIMATE_SLACK;
    if (last && last.tokens > likely) log.add("stale-usage", last.line, last.tokens);
  }

  return { add, finish };
}

function contextTokens({ usage }: AssistantRecord): number | undefined {
  return usage && (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}
