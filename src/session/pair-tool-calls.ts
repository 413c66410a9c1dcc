import {
  type ContentBlock,
  otherResultBlocks,
  type ToolCallBlock,
  type ToolResultBlock,
} from "../format/content-block.js";
import { permissionWords } from "../format/permission-words.js";
import type { AssistantRecord, LogRecord, UserRecord } from "../format/record.js";
import { toToolResultData } from "../format/tool-result-data.js";
import { shownResult } from "./call-sketch.js";
import { listAt } from "./list-at.js";
import { judgeResult, type ToolStatus } from "./tool-status.js";
import { summarizeCall } from "./tool-summary.js";

/** A tool call with what came back. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly summary: string;
  /** What the model saw; null when no result was recorded. */
  readonly result: string | null;
  /** What the client noted for its own screen, any JSON. */
  readonly resultData: unknown;
  readonly status: ToolStatus;
  readonly callUuid: string | null;
  readonly resultUuids: readonly string[];
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  readonly agentId: string | null;
  readonly images: number;
  /** What came back beside text, such as images with their bytes; not part of the JSON. */
  readonly resultBlocks: readonly ContentBlock[];
  /** What a person typed when they were asked whether it may run; not part of the JSON. */
  readonly personsWords: string | null;
  readonly persistedOutput: string | null; // where the client put output that was too large
  readonly notification: CallNotification | null;
}

/** How a call that went to the background ended. */
export interface CallNotification {
  readonly status: string | null;
  readonly summary: string | null;
  readonly at: string | null;
  readonly durationMs: number | null;
}

export interface PairedCalls {
  readonly toolCalls: readonly ToolCall[];
  /** Results whose call is in none of the records. */
  readonly orphanResults: readonly OrphanResult[];
}

export interface OrphanResult {
  readonly toolUseId: string;
  readonly result: string;
  readonly isError: boolean;
  readonly uuid: string | null;
  readonly line: number;
  readonly at: string | null;
}

interface FoundResult {
  readonly block: ToolResultBlock;
  readonly record: UserRecord | AssistantRecord;
  readonly isError: boolean;
}

/** By id, in any order. An id may have several results: the last that is no error is shown, else the last. */
export function pairToolCalls(
  records: Iterable<LogRecord>,
  notifications: ReadonlyMap<string, CallNotification> = new Map(),
): PairedCalls {
  const calls = new Map<string, { block: ToolCallBlock; record: AssistantRecord }>();
  const results = new Map<string, FoundResult[]>();
  for (const record of records) {
    if (record.kind !== "assistant" && record.kind !== "user") continue;
    for (const block of record.blocks) {
      if (block.kind === "toolResult") {
        listAt(results, block.toolUseId).push({ block, record, isError: block.isError });
      } else if (block.kind === "toolCall" && record.kind === "assistant" && !record.isMeta && !calls.has(block.id)) {
        calls.set(block.id, { block, record });
      }
    }
  }
  return {
    toolCalls: [...calls.values()].map(({ block, record }) =>
      toToolCall(block, record, results.get(block.id) ?? [], notifications.get(block.id)),
    ),
    orphanResults: [...results].flatMap(([id, found]) => (calls.has(id) ? [] : found.map(toOrphanResult))),
  };
}

function toToolCall(
  { id, name, input }: ToolCallBlock,
  record: AssistantRecord,
  results: readonly FoundResult[],
  notification: CallNotification | undefined,
): ToolCall {
  const shown = shownResult(results);
  const data = shown?.record.kind === "user" ? shown.record.toolUseResult : undefined;
  const told = toToolResultData(data);
  const endedAt = notification?.at ?? shown?.record.timestamp ?? null;
  return {
    id,
    name,
    input,
    summary: summarizeCall(name, input),
    result: shown?.block.text ?? null,
    resultData: data ?? null,
    status: statusOf(shown),
    callUuid: record.uuid ?? null,
    resultUuids: results.flatMap(({ record: { uuid } }) => uuid ?? []),
    startedAt: record.timestamp ?? null,
    endedAt,
    durationMs: notification?.durationMs ?? told.durationMs ?? millisecondsBetween(record.timestamp, endedAt),
    agentId: told.agentId ?? null,
    images: shown?.block.images ?? 0,
    resultBlocks: shown ? otherResultBlocks(shown.block) : [],
    personsWords: (shown && wordsAt(shown)) ?? null,
    persistedOutput: told.persistedOutput ?? persistedPath(shown?.block.text) ?? null,
    notification: notification ?? null,
  };
}

function wordsAt({ block, record }: FoundResult): string | undefined {
  return record.kind === "user" ? permissionWords(record, block) : undefined;
}

function toOrphanResult({ block, record }: FoundResult): OrphanResult {
  return {
    toolUseId: block.toolUseId,
    result: block.text,
    isError: block.isError,
    uuid: record.uuid ?? null,
    line: record.line,
    at: record.timestamp ?? null,
  };
}

function statusOf(shown: FoundResult | undefined): ToolStatus {
  if (!shown) return "orphan";
  if (shown.record.kind === "user") return judgeResult(shown.block, shown.record);
  return shown.isError ? "error" : "ok";
}

/** Clamped at 0: clocks go back, and results of parallel calls are written out of order. */
export function millisecondsBetween(from: string | undefined | null, to: string | undefined | null): number | null {
  const span = Date.parse(to ?? "") - Date.parse(from ?? "");
  return Number.isNaN(span) ? null : Math.max(0, span);
}

function persistedPath(text: string | undefined): string | undefined {
  if (!text?.startsWith("<persisted-output>")) return undefined;
  return /Full output saved to: (.+)/.exec(text)?.[1]?.trim();
}
