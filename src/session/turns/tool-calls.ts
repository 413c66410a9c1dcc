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
import { type PersonsWords, personsWordsOf } from "../../format/record/persons-words.js";
import type { AssistantRecord, LogRecord, UserRecord } from "../../format/record/record.js";
import type { CallName, Node, ResultOutline } from "../graph/node.js";
import { type Denial, type ToolStatus, toDenial, toResultStatus } from "../messages/tool-status.js";

/** A tool call as the outline knows it, without input and output. */
export interface CallOutline {
  readonly id: string;
  readonly name: string;
  readonly status: ToolStatus;
  readonly isError: boolean;
  readonly startedAt: number | undefined; // ms since the epoch
  readonly endedAt: number | undefined;
}

/** The calls of a branch, without their bodies. */
export interface BranchCalls {
  readonly calls: ReadonlyMap<string, CallOutline>;
  /** How calls that went to the background ended, by call. */
  readonly notifications: ReadonlyMap<string, CallNotification>;
  /** What the model saw instead of stored results, by call. */
  readonly replacements: ReadonlyMap<string, string>;
}

/** A tool call with its input and what came back. */
export interface ToolCall extends Pick<CallOutline, "id" | "name" | "status"> {
  readonly input: unknown;
  readonly summary: string;
  /** What the model saw; null when no result was recorded. */
  readonly result: string | null;
  /** What the model saw instead of `result`; only where Claude Code recorded that. */
  readonly replacement?: string;
  /** What Claude Code recorded for its own screen, any JSON. */
  readonly resultData: unknown;
  /** Who or what kept it from running; null: it ran, or that is not known. */
  readonly denial: Denial | null;
  readonly callUuid: string | null;
  readonly resultUuids: readonly string[];
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  readonly agentId: string | null;
  readonly images: number;
  /** Result content other than text, such as images with their bytes; not part of the JSON. */
  readonly resultBlocks: readonly ContentBlock[];
  /** What a person said through it: feedback at the permission prompt, answers to questions, an approved plan. */
  readonly personsWords: readonly PersonsWords[];
  readonly persistedOutput: string | null; // the file to which Claude Code wrote output that was too large
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

/** Results by the id of their call, in file order. */
export type ResultsByCall = ReadonlyMap<string, readonly TimedResult[]>;

interface TimedResult extends ResultOutline {
  readonly time: number | undefined;
}

export function listResults(nodes: Iterable<Node>): ResultsByCall {
  const results = new Map<string, TimedResult[]>();
  for (const node of nodes) {
    for (const result of node.results ?? []) listAt(results, result.id).push({ time: node.time, ...result });
  }
  return results;
}

/** The calls of some nodes. Their results may be anywhere in the file: before the call, or after a compaction. */
export function outlineCalls(nodes: readonly Node[], results: ResultsByCall): Map<string, CallOutline> {
  return pairById(listCalls(nodes), results, ({ id, name, time }, _, shown) => ({
    id,
    name,
    status: shown?.status ?? "orphan",
    isError: shown?.isError ?? false,
    startedAt: time,
    endedAt: shown?.time,
  }));
}

function* listCalls(nodes: readonly Node[]): Generator<CallName & Pick<Node, "time">> {
  for (const { role, calls, time } of nodes) {
    if (calls === undefined || role === "injectedAnswer") continue;
    for (const { id, name } of calls) yield { id, name, time };
  }
}

interface FoundCall {
  readonly id: string;
  readonly block: ToolCallBlock;
  readonly record: AssistantRecord;
}

interface FoundResult {
  readonly block: ToolResultBlock;
  readonly record: UserRecord | AssistantRecord;
  readonly isError: boolean;
}

/** The calls of some records with their results among the same records. */
export function pairToolCalls(
  records: Iterable<LogRecord>,
  notifications: ReadonlyMap<string, CallNotification> = new Map(),
  replacements: ReadonlyMap<string, string> = new Map(),
): PairedCalls {
  const calls: FoundCall[] = [];
  const results = new Map<string, FoundResult[]>();
  for (const record of records) {
    if (record.kind !== "assistant" && record.kind !== "user") continue;
    for (const block of record.blocks) {
      if (block.kind === "toolResult") {
        listAt(results, block.toolUseId).push({ block, record, isError: block.isError });
      } else if (block.kind === "toolCall" && record.kind === "assistant" && !record.isMeta) {
        calls.push({ id: block.id, block, record });
      }
    }
  }
  const toolCalls = pairById(calls, results, (call, own, shown) =>
    toToolCall(call, own, shown, {
      notification: notifications.get(call.id) ?? null,
      replacement: shown && replacements.get(call.id),
    }),
  );
  const orphans = [...results].filter(([id]) => !toolCalls.has(id)).flatMap(([, own]) => own);
  return { toolCalls: [...toolCalls.values()], orphanResults: orphans.map(toOrphanResult) };
}

/** Of several calls with one id the first counts. */
function pairById<Call extends { readonly id: string }, Result extends { readonly isError: boolean }, Pair>(
  calls: Iterable<Call>,
  results: ReadonlyMap<string, readonly Result[]>,
  toPair: (call: Call, results: readonly Result[], shown: Result | undefined) => Pair,
): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const call of calls) {
    if (pairs.has(call.id)) continue;
    const own = results.get(call.id) ?? [];
    pairs.set(call.id, toPair(call, own, shownResult(own)));
  }
  return pairs;
}

/** Some calls have an error first and the real answer after it. */
export function shownResult<T extends { readonly isError: boolean }>(results: readonly T[]): T | undefined {
  return results.findLast(({ isError }) => !isError) ?? results.at(-1);
}

function toToolCall(
  { block, record }: FoundCall,
  results: readonly FoundResult[],
  shown: FoundResult | undefined,
  { notification, replacement }: Pick<ToolCall, "notification"> & { replacement: string | undefined },
): ToolCall {
  const { id, name, input } = block;
  const data = shown?.record.kind === "user" ? shown.record.toolUseResult : undefined;
  const details = toToolResultData(data);
  const endedAt = notification?.at ?? shown?.record.timestamp ?? null;
  return {
    id,
    name,
    input,
    summary: summarizeCall(name, input),
    result: shown?.block.text ?? null,
    resultData: data ?? null,
    status: statusOf(shown),
    denial: shown?.record.kind === "user" ? toDenial(shown.block, shown.record) : null,
    callUuid: record.uuid ?? null,
    resultUuids: results.flatMap(({ record: { uuid } }) => uuid ?? []),
    startedAt: record.timestamp ?? null,
    endedAt,
    durationMs: notification?.durationMs ?? details.durationMs ?? millisecondsBetween(record.timestamp, endedAt),
    agentId: details.agentId ?? null,
    images: shown?.block.images ?? 0,
    resultBlocks: shown ? otherResultBlocks(shown.block) : [],
    personsWords: shown?.record.kind === "user" ? personsWordsOf(block, shown.record, shown.block) : [],
    persistedOutput: details.persistedOutput ?? persistedPath(shown?.block.text) ?? null,
    notification,
    ...(replacement === undefined ? {} : { replacement }),
  };
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

/** Task or sub-agent id to the call that launched it; the first link counts, it is the launch itself. */
export function linkTasks(nodes: readonly Node[]): Map<string, string> {
  const tasks = new Map<string, string>();
  for (const { task } of nodes) {
    if (task?.taskId !== undefined && task.toolUseId !== undefined && !tasks.has(task.taskId)) {
      tasks.set(task.taskId, task.toolUseId);
    }
  }
  return tasks;
}

/** Notifications by the call they are about. Of several for the same task the last counts. */
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

/** One line that describes what a call does; the sorted names of its inputs for unknown tools. */
export function summarizeCall(name: string, input: unknown): string {
  const known = Object.hasOwn(SUMMARIES, name) ? SUMMARIES[name]?.(input) : undefined;
  return known ?? (isObject(input) ? Object.keys(input).sort().join(", ") : "");
}

type Summarize = (input: unknown) => string | undefined;

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

function suffixed(text: string | undefined, suffix: string): string | undefined {
  return text === undefined ? undefined : text + suffix;
}
