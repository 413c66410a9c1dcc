import { emptyUsage, type Usage } from "../../session/usage.js";

/** What one API message adds to the statistics. */
export interface MessageFigures {
  readonly time: number | null; // ms since the epoch
  readonly model: string | null;
  readonly speed: string | null;
  readonly gitBranch: string | null;
  readonly usage: Usage;
  readonly isOutputKnown: boolean;
}

export interface CallFigures {
  readonly time: number | null;
  readonly tool: string;
  readonly isError: boolean;
  readonly durationMs: number | null;
}

export interface TurnFigures {
  readonly time: number | null;
  readonly gitBranch: string | null;
  readonly activeMs: number;
}

/** Messages of one model, speed and git branch within one slot of time. */
export interface MessageSpan {
  readonly slot: number;
  readonly first: number; // ms since the epoch
  readonly last: number;
  readonly model: string | null;
  readonly speed: string | null;
  readonly gitBranch: string | null;
  readonly messages: number;
  readonly unknownOutputs: number;
  readonly usage: Usage;
}

export interface CallSpan {
  readonly slot: number;
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
  readonly durations: readonly number[]; // ms, of the calls whose end is known
}

export interface TurnSpan {
  readonly slot: number;
  readonly gitBranch: string | null;
  readonly turns: number;
  readonly activeMs: number;
}

/** A quarter of an hour: every time zone in use begins its days at one. */
export const SLOT_MS = 900_000;
/** The slot of what has no time. */
export const NO_SLOT = -1;

function slotOf(time: number | null): number {
  return time === null || time < 0 ? NO_SLOT : Math.floor(time / SLOT_MS);
}

export type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

export function gatherMessages(messages: Iterable<MessageFigures>): MessageSpan[] {
  const spans = new Map<string, Mutable<MessageSpan> & { usage: Mutable<Usage> }>();
  for (const { time, model, speed, gitBranch, usage, isOutputKnown } of messages) {
    const slot = slotOf(time);
    const at = slot === NO_SLOT ? 0 : (time ?? 0);
    const key = `${slot}\n${model}\n${speed}\n${gitBranch}`;
    const counts = { messages: 0, unknownOutputs: 0, usage: emptyUsage() };
    const span = spans.get(key) ?? { slot, first: at, last: at, model, speed, gitBranch, ...counts };
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
  for (const { time, tool, isError, durationMs } of calls) {
    const slot = slotOf(time);
    const key = `${slot} ${tool}`;
    const span = spans.get(key) ?? { slot, tool, calls: 0, errors: 0, durations: [] };
    spans.set(key, span);
    span.calls += 1;
    span.errors += isError ? 1 : 0;
    if (durationMs !== null) span.durations.push(durationMs);
  }
  return [...spans.values()];
}

export function gatherTurns(turns: Iterable<TurnFigures>): TurnSpan[] {
  const spans = new Map<string, Mutable<TurnSpan>>();
  for (const { time, gitBranch, activeMs } of turns) {
    const slot = slotOf(time);
    const key = `${slot} ${gitBranch}`;
    const span = spans.get(key) ?? { slot, gitBranch, turns: 0, activeMs: 0 };
    spans.set(key, span);
    span.turns += 1;
    span.activeMs += activeMs;
  }
  return [...spans.values()];
}
