import type { ContentBlock } from "../format/content-block.js";
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

interface MessageFound {
  readonly line: number;
  hasCall: boolean;
  hasWords: boolean; // or anything else but thinking
  isStoppedForTool: boolean;
  /** The line of thinking after which nothing came. */
  lastThought: number | undefined;
}

const NOTHING_FOUND = { hasCall: false, hasWords: false, isStoppedForTool: false, lastThought: undefined };

export function createMessageChecks(log: ProblemLog): MessageChecks {
  const messages = new Map<string, MessageFound>();
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
    const known = messages.get(key) ?? { line: record.line, ...NOTHING_FOUND };
    const last = record.blocks.at(-1);
    known.hasCall ||= record.isAbridged || record.blocks.some(({ kind }) => kind === "toolCall");
    known.hasWords ||= record.isAbridged || record.blocks.some((block) => !isThinking(block));
    known.isStoppedForTool ||= record.stopReason === "tool_use";
    if (last) known.lastThought = isThinking(last) && !record.isAbridged ? record.line : undefined;
    messages.set(key, known);
  }

  function finish(): void {
    for (const { line, hasCall, hasWords, isStoppedForTool, lastThought } of messages.values()) {
      if (isStoppedForTool && !hasCall) log.add("stop-without-call", line);
      if (lastThought !== undefined) log.add(hasWords ? "thinking-last" : "thinking-alone", lastThought);
    }
    const likely = UNSEEN_TOKENS + (contextBytes / BYTES_PER_TOKEN) * ESTIMATE_SLACK;
    if (last && last.tokens > likely) log.add("stale-usage", last.line, last.tokens);
  }

  return { add, finish };
}

function contextTokens({ usage }: AssistantRecord): number | undefined {
  return usage && (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

function isThinking({ kind }: ContentBlock): boolean {
  return kind === "thinking" || kind === "redactedThinking";
}
