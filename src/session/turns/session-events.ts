import type { Message } from "../messages/message.js";
import { errorText } from "../prompts/wrappers.js";
import type { FollowUp, Local, Preamble, Turn } from "./build-turn.js";
import type { Notice } from "./notices.js";
import type { OrphanResult, ToolCall } from "./tool-calls.js";

/** A session as a flat list of what happened. */
export interface SessionEvent {
  readonly timestamp: string | null;
  readonly type: EventType;
  readonly tool: string | null;
  readonly toolUseId: string | null;
  /** The text, or the summary of a tool call. */
  readonly input: string;
  /** What a tool returned to the model, or a local command printed. */
  readonly output: string | null;
  readonly durationMs: number | null;
  readonly success: boolean | null; // null: how the call ended is not recorded
  readonly errorMsg: string | null;
}

/**
 * `notice`: what Claude Code, a hook or the surroundings of the session did; `success` is false where it stopped something.
 * `user`: prompts, follow-ups, what a person said through a tool call, local commands, and the notifications that the model answered, without which their answers
 * would have no cause. `error`: API errors and results without a call; a call that
 * failed is a `tool_use`.
 */
export type EventType = "user" | "assistant" | "tool_use" | "error" | "notice";

export interface EventSource {
  readonly preamble?: Preamble;
  /** May be built one by one while the events are taken. */
  readonly turns: Iterable<Turn>;
}

/** In the order of the conversation, one turn in memory at a time. */
export function* toEvents({ preamble, turns }: EventSource): Generator<SessionEvent> {
  if (preamble) yield* partEvents(preamble, []);
  for (const turn of turns) yield* turnEvents(turn);
}

function turnEvents(turn: Turn): SessionEvent[] {
  return [promptEvent(turn), ...partEvents(turn, turn.followUps)];
}

export function promptEvent({ prompt, startedAt, output }: Turn): SessionEvent {
  return { ...userEvent(prompt, startedAt), output };
}

export function isFailed({ success }: SessionEvent): boolean {
  return success === false;
}

/** All events but the prompt. */
export function partEvents(
  { messages, toolCalls, orphanResults, locals, notices }: Preamble,
  followUps: readonly FollowUp[],
): SessionEvent[] {
  const calls = new Map(toolCalls.map((call) => [call.id, call]));
  const spoken = messages.flatMap((message) => messageEvents(message, calls));
  return mergeByTime(
    spoken,
    followUps.map(followUpEvent),
    locals.map(localEvent),
    orphanResults.map(orphanEvent),
    notices.filter(isEvent).map(noticeEvent),
  );
}

/** Messages that Claude Code wrote in place of the model (except API errors), or a framework injected, are no events. */
function messageEvents(message: Message, calls: ReadonlyMap<string, ToolCall>): SessionEvent[] {
  if (message.isApiError) return [errorEvent({ errorMsg: textOf(message), timestamp: message.startedAt })];
  if (message.author !== "model") return [];
  return message.blocks.flatMap((block) => {
    if (block.kind === "text" && block.text.trim() !== "") return [assistantEvent(block.text, message.startedAt)];
    const call = block.kind === "toolCall" ? calls.get(block.id) : undefined;
    return call ? [callEvent(call), ...wordsEvents(call)] : [];
  });
}

function textOf({ blocks }: Message): string {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n");
}

const PLAIN = { tool: null, toolUseId: null, output: null, durationMs: null, success: true, errorMsg: null } as const;

function userEvent(input: string, timestamp: string | null): SessionEvent {
  return { ...PLAIN, timestamp, type: "user", input };
}

function assistantEvent(input: string, timestamp: string | null): SessionEvent {
  return { ...PLAIN, timestamp, type: "assistant", input };
}

function followUpEvent({ prompt, at }: FollowUp): SessionEvent {
  return userEvent(prompt, at);
}

function localEvent({ prompt, output, at }: Local): SessionEvent {
  return { ...userEvent(prompt, at), output };
}

/** What a hook printed and what was added for the model is no event of its own. */
function isEvent({ kind, level }: Notice): boolean {
  return level === "warning" || kind === "system" || kind === "context";
}

function noticeEvent({ text, level, at }: Notice): SessionEvent {
  const isWarning = level === "warning";
  const input = text.trim();
  return { ...PLAIN, timestamp: at, type: "notice", input, success: !isWarning, errorMsg: isWarning ? input : null };
}

function orphanEvent({ toolUseId, result, at }: OrphanResult): SessionEvent {
  return { ...errorEvent({ errorMsg: errorText(result), timestamp: at }), toolUseId, output: result };
}

function errorEvent({ errorMsg, timestamp }: Pick<SessionEvent, "errorMsg" | "timestamp">): SessionEvent {
  return { ...PLAIN, timestamp, type: "error", input: "", success: false, errorMsg };
}

export function callEvent({ id, name, summary, result, durationMs, startedAt, status }: ToolCall): SessionEvent {
  const success = status === "orphan" ? null : status === "ok";
  return {
    timestamp: startedAt,
    type: "tool_use",
    tool: name,
    toolUseId: id,
    input: summary,
    output: result,
    durationMs,
    success,
    errorMsg: success === false ? errorText(result ?? "") : null,
  };
}

function wordsEvents({ personsWords, endedAt, startedAt }: ToolCall): SessionEvent[] {
  return personsWords.map(({ text }) => userEvent(text, endedAt ?? startedAt));
}

interface Timed {
  readonly timestamp: string | null;
}

/**
 * Inserts the items of the other lists before the first of `items` with a later time. An item without time follows the one
 * before it in its own list; without any time it is at the end.
 */
export function mergeByTime<Item extends Timed>(
  items: readonly Item[],
  ...beside: readonly (readonly Item[])[]
): Item[] {
  const waiting = beside.flatMap(withTimes).sort((a, b) => a.time - b.time);
  const merged: Item[] = [];
  let next = 0;
  for (const item of items) {
    const time = Date.parse(item.timestamp ?? "");
    for (let first = waiting[next]; first && first.time < time; first = waiting[next]) {
      merged.push(first.item);
      next += 1;
    }
    merged.push(item);
  }
  return merged.concat(waiting.slice(next).map(({ item }) => item));
}

function withTimes<Item extends Timed>(items: readonly Item[]): { item: Item; time: number }[] {
  let last = Number.MAX_SAFE_INTEGER;
  return items.map((item) => {
    const time = Date.parse(item.timestamp ?? "");
    if (!Number.isNaN(time)) last = time;
    return { item, time: last };
  });
}
