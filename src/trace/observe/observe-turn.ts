import { basename, win32 } from "node:path";
import { arrayAt, numberAt, objectAt, stringAt } from "../../format/json.js";
import type { AttachmentRecord, LogRecord, ProgressRecord, SystemRecord } from "../../format/record/record.js";
import type { Turn } from "../../session/turns/build-turn.js";
import type { CompactionOutline } from "../../session/turns/compactions.js";
import { type Draft, type DraftEvent, fillTimes, type Trace, toMs } from "./observation.js";
import { type Agent, type AgentPlace, observeAgent, observeLaunched } from "./observe-agents.js";
import { observeMessages, textOf } from "./observe-messages.js";
import { spanIdOf, traceIdOf } from "./span-ids.js";

/** One turn with the records that it was built from. */
export interface TurnSource {
  readonly turn: Turn;
  /** Its ordinal in the file, dead branches included. */
  readonly number: number;
  readonly start: LogRecord | undefined;
  readonly records: readonly LogRecord[];
  readonly compactions: readonly CompactionOutline[];
}

export interface TracePlace extends AgentPlace {
  readonly sessionId: string;
  readonly userId: string | null;
  /** For a file in which nothing has a time. */
  readonly fallbackMs: number;
}

/** A turn as one trace: the root is the agent that was asked; below it generations, their tools, and sub-agents. */
export function observeTurn(source: TurnSource, place: TracePlace): Trace {
  const { turn, number } = source;
  const key = turnKey(source, place.sessionId);
  const spanId = spanIdOf("turn", key);
  const name = `Turn ${number}`;
  const input = { role: "user", content: turn.prompt };
  const startMs = toMs(turn.startedAt);
  const root: Draft = {
    kind: "turn",
    spanId,
    parentSpanId: null,
    name,
    startMs,
    endMs: toMs(turn.endedAt),
    input,
    output: lastAnswer(turn),
    ...verdict(turn),
    metadata: turnMetadata(source, place.sessionId),
    events: turnEvents(turn, source.records, source.compactions),
    generation: null,
  };
  const inner = observeMessages(turn, {
    parentSpanId: spanId,
    input,
    startMs,
    agentId: null,
    prices: place.prices,
    inside: (call, toolSpanId) => observeLaunched(call, toolSpanId, place),
  });
  return {
    traceId: traceIdOf(key),
    name,
    sessionId: place.sessionId,
    userId: place.userId,
    tags: tagsOf(source),
    observations: fillTimes([root, ...inner], place.fallbackMs),
  };
}

/** A sub-agent that no call launched; it still cost tokens. */
export function observeUnlinkedAgent(agent: Agent, place: TracePlace): Trace {
  const [root, ...inner] = observeAgent(agent, null, null, place);
  const drafts = root
    ? [{ ...root, metadata: { source: "claude-code", session_id: place.sessionId, ...root.metadata } }, ...inner]
    : [];
  return {
    traceId: traceIdOf(`agent ${agent.agentId}`),
    name: "Sub-agent",
    sessionId: place.sessionId,
    userId: place.userId,
    tags: [],
    observations: fillTimes(drafts, place.fallbackMs),
  };
}

/** A fork that renewed the uuids names the original. */
function turnKey({ turn, start }: TurnSource, sessionId: string): string {
  const origin = start && start.kind !== "broken" ? start.forkedFrom?.messageUuid : undefined;
  return origin ?? turn.uuid ?? `${sessionId} line ${turn.line}`;
}

function lastAnswer({ messages }: Turn): unknown {
  const answer = messages.findLast((message) => message.author === "model" && textOf(message) !== "");
  return answer && { role: "assistant", content: textOf(answer) };
}

/** Also true for a prompt without an answer and a call without a result. */
function isInterrupted({ interrupted, messages, toolCalls }: Turn): boolean {
  const last = messages.findLast(({ author, isApiError }) => author === "model" || isApiError);
  if (interrupted || !last) return true;
  const open = new Set(toolCalls.flatMap(({ id, status }) => (status === "orphan" ? [id] : [])));
  return last.blocks.some((block) => block.kind === "toolCall" && open.has(block.id));
}

function verdict(turn: Turn): Pick<Draft, "level" | "statusMessage"> {
  const last = turn.messages.at(-1);
  if (last?.isApiError) return { level: "ERROR", statusMessage: textOf(last) };
  if (isInterrupted(turn)) return { level: "WARNING", statusMessage: "interrupted" };
  return { level: "DEFAULT", statusMessage: null };
}

function turnMetadata({ turn, number, start }: TurnSource, sessionId: string): Record<string, unknown> {
  const record = start && start.kind !== "broken" ? start : undefined;
  const known = {
    cwd: record?.cwd,
    git_branch: record?.gitBranch,
    client_version: record?.version,
    permission_mode: turn.permissionMode ?? undefined,
    interrupted: isInterrupted(turn) || undefined,
  };
  return {
    source: "claude-code",
    turn_number: number,
    session_id: sessionId,
    turn_kind: turn.kind,
    tool_count: turn.toolCalls.length,
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
  };
}

/** The project, and the skills that were used: by command, or by the model itself. */
function tagsOf({ turn, start }: TurnSource): string[] {
  const cwd = start && start.kind !== "broken" ? start.cwd : undefined;
  const project = cwd === undefined ? "" : cwd.includes("\\") ? win32.basename(cwd) : basename(cwd);
  const command = turn.kind === "command" ? /^\/(\S+)/.exec(turn.prompt)?.[1] : undefined;
  const skills = turn.toolCalls.flatMap(({ name, input }) =>
    name === "Skill" ? (stringAt(input, "skill") ?? stringAt(input, "command") ?? []) : [],
  );
  const used = [command, ...skills].filter((name) => name !== undefined);
  return [...(project === "" ? [] : [`project:${project}`]), ...new Set(used.map((name) => `skill:${name}`))];
}

/** What happened in a turn beside its messages and tools: compactions, hooks, messages typed meanwhile, lost results. */
function turnEvents(
  turn: Turn,
  records: readonly LogRecord[],
  compactions: readonly CompactionOutline[],
): DraftEvent[] {
  const events = [
    ...compactions.map(compactionEvent),
    ...records.flatMap((record) => hookEvent(record) ?? []),
    ...turn.followUps.map(({ prompt, at }) => toEvent("follow-up", at, {}, prompt)),
    ...turn.orphanResults.map(({ toolUseId, result, at }) =>
      toEvent("tool result without a call", at, { tool_id: toolUseId }, result),
    ),
  ];
  return events.sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0));
}

function toEvent(
  name: string,
  at: string | null | undefined,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content: string | null = null,
): DraftEvent {
  const known = Object.entries(attributes).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  return { name, atMs: toMs(at), attributes: Object.fromEntries(known), content };
}

function compactionEvent({ at, trigger, preTokens, postTokens }: CompactionOutline): DraftEvent {
  return toEvent("compaction", at, {
    trigger: trigger ?? undefined,
    pre_tokens: preTokens ?? undefined,
    post_tokens: postTokens ?? undefined,
  });
}

function hookEvent(record: LogRecord): DraftEvent | undefined {
  if (record.kind === "progress" && record.progressType === "hook_progress") return progressHook(record);
  if (record.kind === "attachment" && record.attachmentType?.startsWith("hook_")) return attachedHook(record);
  if (record.kind === "system" && record.subtype === "stop_hook_summary") return stopHooks(record);
  return undefined;
}

/** Up to 2.1.6x. */
function progressHook({ raw, timestamp }: ProgressRecord): DraftEvent {
  const data = objectAt(raw, "data");
  const name = stringAt(data, "hookName") ?? stringAt(data, "hookEvent") ?? "unnamed";
  return toEvent(`hook ${name}`, timestamp, {}, stringAt(data, "command") ?? null);
}

function attachedHook({ attachment, attachmentType, timestamp }: AttachmentRecord): DraftEvent {
  const name = stringAt(attachment, "hookName") ?? attachmentType ?? "unnamed";
  const content = stringAt(attachment, "content") ?? stringAt(attachment, "stdout");
  return toEvent(
    `hook ${name}`,
    timestamp,
    { exit_code: numberAt(attachment, "exitCode"), duration_ms: numberAt(attachment, "durationMs") },
    content || null,
  );
}

function stopHooks({ raw, timestamp }: SystemRecord): DraftEvent {
  const errors = arrayAt(raw, "hookErrors").length;
  return toEvent("hook Stop", timestamp, { hooks: numberAt(raw, "hookCount"), errors });
}
