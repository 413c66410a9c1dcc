import { listAt } from "../../collections.js";
import { isObject, stringAt } from "../../format/json.js";
import {
  type ContentBlock,
  otherResultBlocks,
  type ToolCallBlock,
  type ToolResultBlock,
  toAgentCall,
  toToolResultData,
} from "../../format/record/content-block.js";
import { permissionWords } from "../../format/record/permission-words.js";
import type { AssistantRecord, LogRecord, UserRecord } from "../../format/record/record.js";
import type { Links } from "../graph/link-nodes.js";
import type { CallName, Node, ResultOutline } from "../graph/node.js";
import { type ToolStatus, toResultStatus } from "../messages/tool-status.js";

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
  if (shown.record.kind === "user") return toResultStatus(shown.block, shown.record);
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

/** One tool call of the active branch, without input and output. */
export interface CallSketch {
  readonly id: string;
  readonly name: string;
  readonly status: ToolStatus;
  readonly shown: ResultOutline | undefined; // the result that counts, if there are several
  readonly results: number;
  readonly startedAt: number | undefined; // ms since the epoch
  readonly endedAt: number | undefined;
}

interface TimedResult extends ResultOutline {
  readonly time: number | undefined;
}

/** Pairs over the whole file, in any order, across messages and compactions. */
export function callSketcher(
  nodes: readonly Node[],
  links: Links,
): (active: readonly Node[]) => Map<string, CallSketch> {
  const results = new Map<string, TimedResult[]>();
  nodes.forEach((node, index) => {
    if (!links.isMain(index)) return;
    for (const result of node.results ?? []) listAt(results, result.id).push({ time: node.time, ...result });
  });
  return (active) => {
    const calls = new Map<string, CallSketch>();
    for (const node of active) {
      if (node.role === "injectedAnswer") continue;
      for (const { id, name } of node.calls ?? []) {
        if (!calls.has(id)) calls.set(id, toSketch({ id, name }, node.time, results.get(id) ?? []));
      }
    }
    return calls;
  };
}

function toSketch({ id, name }: CallName, startedAt: number | undefined, results: readonly TimedResult[]): CallSketch {
  const shown = shownResult(results);
  return {
    id,
    name,
    status: shown?.status ?? "orphan",
    shown,
    results: results.length,
    startedAt,
    endedAt: shown?.time,
  };
}

/** Some calls have an error first and the real answer after it. */
export function shownResult<T extends { readonly isError: boolean }>(results: readonly T[]): T | undefined {
  return results.findLast(({ isError }) => !isError) ?? results.at(-1);
}

/** Task or sub-agent id to the call that launched it; the first word stands, it is the launch itself. */
export function linkTasks(nodes: readonly Node[]): Map<string, string> {
  const tasks = new Map<string, string>();
  for (const { task } of nodes) {
    if (task?.taskId !== undefined && task.toolUseId !== undefined && !tasks.has(task.taskId)) {
      tasks.set(task.taskId, task.toolUseId);
    }
  }
  return tasks;
}

/** Notifications by the call they speak of; the same task may notify more than once, the last stands. */
export function listNotifications(
  nodes: readonly Node[],
  tasks: ReadonlyMap<string, string>,
): Map<string, CallNotification> {
  const notifications = new Map<string, CallNotification>();
  for (const { role, task, text, time } of nodes) {
    if (role !== "notification" && role !== "queuedNotification") continue;
    const call = task?.toolUseId ?? tasks.get(task?.taskId ?? "");
    if (call === undefined) continue;
    notifications.set(call, {
      status: task?.status ?? null,
      summary: text ?? null,
      at: time === undefined ? null : new Date(time).toISOString(),
      durationMs: task?.durationMs ?? null,
    });
  }
  return notifications;
}

type Summarize = (input: unknown) => string | undefined;

/** One line that says what a call does. */
const SUMMARIES: Readonly<Record<string, Summarize>> = {
  Bash: (input) => {
    const command = stringAt(input, "command");
    const description = stringAt(input, "description");
    return command !== undefined && description ? `${command} # ${description}` : command;
  },
  Read: (input) => stringAt(input, "file_path"),
  Edit: (input) => suffixed(stringAt(input, "file_path"), " (edit)"),
  MultiEdit: (input) => suffixed(stringAt(input, "file_path"), " (edit)"),
  NotebookEdit: (input) => suffixed(stringAt(input, "notebook_path"), " (edit)"),
  Write: (input) =>
    suffixed(stringAt(input, "file_path"), ` (${Buffer.byteLength(stringAt(input, "content") ?? "")} bytes)`),
  Grep: (input) => {
    const pattern = stringAt(input, "pattern");
    const path = stringAt(input, "path");
    return pattern === undefined ? undefined : `/${pattern}/${path === undefined ? "" : ` in ${path}`}`;
  },
  Glob: (input) => stringAt(input, "pattern"),
  Task: summarizeAgent,
  Agent: summarizeAgent,
};

function summarizeAgent(input: unknown): string | undefined {
  const { type, description = "" } = toAgentCall(input);
  return type === undefined ? description || undefined : `[${type}] ${description}`.trim();
}

export function summarizeCall(name: string, input: unknown): string {
  const known = Object.hasOwn(SUMMARIES, name) ? SUMMARIES[name]?.(input) : undefined;
  return known ?? (isObject(input) ? Object.keys(input).sort().join(", ") : "");
}

function suffixed(text: string | undefined, suffix: string): string | undefined {
  return text === undefined ? undefined : text + suffix;
}
