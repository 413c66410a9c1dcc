import { emptyUsage, type Usage } from "../../session/messages/usage.js";
import type { CallFigures, MessageFigures, SpentPart, TurnFigures } from "../../session/number-rows.js";
import { PARTS } from "../../session/session-spend.js";

/** Messages of one model, speed, git branch and part of the session within one slot of time. */
export interface MessageSpan {
  readonly slot: number;
  readonly first: number; // ms since the epoch
  readonly last: number;
  readonly model: string | null;
  readonly speed: string | null;
  readonly gitBranch: string | null;
  readonly part: SpentPart;
  readonly messages: number;
  readonly unknownOutputs: number;
  readonly usage: Usage;
}

export interface CallSpan {
  readonly slot: number;
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
  readonly failed: number;
  readonly denied: number;
  readonly interrupted: number;
  readonly durations: readonly number[]; // ms, of the calls whose end is known
}

export interface TurnSpan {
  readonly slot: number;
  readonly gitBranch: string | null;
  readonly turns: number;
  readonly activeMs: number;
  readonly apiErrors: number;
}

/** A quarter of an hour: in every time zone, days begin at the start of one. */
export const SLOT_MS = 900_000;
/** The slot for entries without a time. */
export const NO_SLOT = -1;

function slotOf(time: number | null): number {
  return time === null || time < 0 ? NO_SLOT : Math.floor(time / SLOT_MS);
}

export type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

export function gatherMessages(messages: Iterable<MessageFigures>): MessageSpan[] {
  const spans = new Map<string, Mutable<MessageSpan> & { usage: Mutable<Usage> }>();
  for (const { time, model, speed, gitBranch, part, usage, isOutputKnown } of messages) {
    const slot = slotOf(time);
    const at = slot === NO_SLOT ? 0 : (time ?? 0);
    const key = `${slot}\n${model}\n${speed}\n${gitBranch}\n${part}`;
    const counts = { messages: 0, unknownOutputs: 0, usage: emptyUsage() };
    const span = spans.get(key) ?? { slot, first: at, last: at, model, speed, gitBranch, part, ...counts };
    spans.set(key, span);
    span.first = Math.min(span.first, at);
    span.last = Math.max(span.last, at);
    span.messages += 1;
    span.unknownOutputs += isOutputKnown ? 0 : 1;
    addUsage(span.usage, usage);
  }
  return [...spans.values()];
}

export function addUsage(sum: Mutable<Usage>, usage: Usage, factor = 1): void {
  sum.input += factor * usage.input;
  sum.output += factor * usage.output;
  sum.cacheRead += factor * usage.cacheRead;
  sum.cacheWrite5m += factor * usage.cacheWrite5m;
  sum.cacheWrite1h += factor * usage.cacheWrite1h;
  sum.webSearches += factor * usage.webSearches;
  sum.webFetches += factor * usage.webFetches;
}

export function gatherCalls(calls: Iterable<CallFigures>): CallSpan[] {
  const spans = new Map<string, Mutable<CallSpan> & { durations: number[] }>();
  for (const { time, tool, isError, status, durationMs } of calls) {
    const slot = slotOf(time);
    const key = `${slot} ${tool}`;
    const span = spans.get(key) ?? { slot, tool, ...NO_CALLS, durations: [] };
    spans.set(key, span);
    span.calls += 1;
    span.errors += isError ? 1 : 0;
    span.failed += status === "error" ? 1 : 0;
    span.denied += status === "denied" ? 1 : 0;
    span.interrupted += status === "interrupted" ? 1 : 0;
    if (durationMs !== null) span.durations.push(durationMs);
  }
  return [...spans.values()];
}

const NO_CALLS = { calls: 0, errors: 0, failed: 0, denied: 0, interrupted: 0 };

export function gatherTurns(turns: Iterable<TurnFigures>): TurnSpan[] {
  const spans = new Map<string, Mutable<TurnSpan>>();
  for (const { time, gitBranch, activeMs, apiErrors, isTurn } of turns) {
    const slot = slotOf(time);
    const key = `${slot} ${gitBranch}`;
    const span = spans.get(key) ?? { slot, gitBranch, turns: 0, activeMs: 0, apiErrors: 0 };
    spans.set(key, span);
    span.turns += isTurn ? 1 : 0;
    span.activeMs += activeMs;
    span.apiErrors += apiErrors;
  }
  return [...spans.values()];
}

/** Distinct names, then all numbers in one flat list: a library has hundreds of thousands of spans to parse. */
export type PackedSpans = readonly [names: readonly string[], numbers: readonly number[]];

export function packMessages(spans: readonly MessageSpan[]): string {
  return pack((name, numbers) => {
    for (const { slot, first, last, model, speed, gitBranch, part, messages, unknownOutputs, usage } of spans) {
      const start = startOf(slot);
      numbers.push(slot, first - start, last - start, name(model), name(speed), name(gitBranch), messages);
      numbers.push(unknownOutputs, usage.input, usage.output, usage.cacheRead, usage.cacheWrite5m, usage.cacheWrite1h);
      numbers.push(usage.webSearches, usage.webFetches, PARTS.indexOf(part));
    }
  });
}

export function unpackMessages([names, numbers]: PackedSpans): MessageSpan[] {
  const cell = (at: number) => numbers[at] ?? 0;
  const spans: MessageSpan[] = [];
  for (let at = 0; at < numbers.length; at += MESSAGE_NUMBERS) {
    const start = startOf(cell(at));
    spans.push({
      slot: cell(at),
      first: start + cell(at + 1),
      last: start + cell(at + 2),
      model: names[cell(at + 3)] ?? null,
      speed: names[cell(at + 4)] ?? null,
      gitBranch: names[cell(at + 5)] ?? null,
      part: PARTS[cell(at + 15)] ?? "active",
      messages: cell(at + 6),
      unknownOutputs: cell(at + 7),
      usage: {
        input: cell(at + 8),
        output: cell(at + 9),
        cacheRead: cell(at + 10),
        cacheWrite5m: cell(at + 11),
        cacheWrite1h: cell(at + 12),
        webSearches: cell(at + 13),
        webFetches: cell(at + 14),
      },
    });
  }
  return spans;
}

const MESSAGE_NUMBERS = 16;

export function packCalls(spans: readonly CallSpan[]): string {
  return pack((name, numbers) => {
    for (const { slot, tool, calls, errors, failed, denied, interrupted, durations } of spans) {
      numbers.push(slot, name(tool), calls, errors, failed, denied, interrupted, durations.length);
      for (const duration of durations) numbers.push(duration);
    }
  });
}

export function unpackCalls([names, numbers]: PackedSpans): CallSpan[] {
  const cell = (at: number) => numbers[at] ?? 0;
  const spans: CallSpan[] = [];
  for (let at = 0; at < numbers.length; ) {
    const start = at + CALL_NUMBERS;
    const durations = numbers.slice(start, start + cell(at + 7));
    spans.push({
      slot: cell(at),
      tool: names[cell(at + 1)] ?? "",
      calls: cell(at + 2),
      errors: cell(at + 3),
      failed: cell(at + 4),
      denied: cell(at + 5),
      interrupted: cell(at + 6),
      durations,
    });
    at = start + durations.length;
  }
  return spans;
}

const CALL_NUMBERS = 8; // and the durations

export function packTurns(spans: readonly TurnSpan[]): string {
  return pack((name, numbers) => {
    for (const { slot, gitBranch, turns, activeMs, apiErrors } of spans) {
      numbers.push(slot, name(gitBranch), turns, activeMs, apiErrors);
    }
  });
}

export function unpackTurns([names, numbers]: PackedSpans): TurnSpan[] {
  const cell = (at: number) => numbers[at] ?? 0;
  const spans: TurnSpan[] = [];
  for (let at = 0; at < numbers.length; at += TURN_NUMBERS) {
    const gitBranch = names[cell(at + 1)] ?? null;
    const [turns, activeMs, apiErrors] = [cell(at + 2), cell(at + 3), cell(at + 4)];
    spans.push({ slot: cell(at), gitBranch, turns, activeMs, apiErrors });
  }
  return spans;
}

const TURN_NUMBERS = 5;

function startOf(slot: number): number {
  return slot === NO_SLOT ? 0 : slot * SLOT_MS;
}

const NO_NAME = -1;

/** `name` gives a text its number. */
export function pack(write: (name: (text: string | null) => number, numbers: number[]) => void): string {
  const names: string[] = [];
  const numbers: number[] = [];
  const name = (text: string | null) => {
    if (text === null) return NO_NAME;
    const at = names.indexOf(text);
    return at >= 0 ? at : names.push(text) - 1;
  };
  write(name, numbers);
  return JSON.stringify([names, numbers] satisfies PackedSpans);
}
