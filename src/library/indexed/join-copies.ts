import type { Usage } from "../../session/usage.js";
import type { CallFigures, MessageFigures, TurnFigures } from "./ledger.js";

/** What the first tells, and where it tells nothing, another; the highest of each counter. The first itself where no other tells more. */
export function joinMessages(messages: readonly [MessageFigures, ...MessageFigures[]]): MessageFigures {
  const [first, ...others] = messages;
  if (others.every((other) => !tellsMore(other, first, MESSAGE_FIELDS) && !usedMore(other, first))) return first;
  return {
    time: firstTold(messages, "time"),
    model: firstTold(messages, "model"),
    speed: firstTold(messages, "speed"),
    gitBranch: firstTold(messages, "gitBranch"),
    isOutputKnown: messages.some(({ isOutputKnown }) => isOutputKnown),
    usage: messages.map(({ usage }) => usage).reduce(maxUsage),
  };
}

export function joinCalls(calls: readonly [CallFigures, ...CallFigures[]]): CallFigures {
  const [first, ...others] = calls;
  if (others.every((other) => !tellsMore(other, first, CALL_FIELDS) && !tookLonger(other, first))) return first;
  const durations = calls.flatMap(({ durationMs }) => durationMs ?? []);
  return {
    time: firstTold(calls, "time"),
    tool: calls[0].tool,
    isError: calls.some(({ isError }) => isError),
    durationMs: durations.length === 0 ? null : Math.max(...durations),
  };
}

export function joinTurns(turns: readonly [TurnFigures, ...TurnFigures[]]): TurnFigures {
  const [first, ...others] = turns;
  const isLonger = ({ activeMs }: TurnFigures) => activeMs > first.activeMs;
  if (others.every((other) => !tellsMore(other, first, TURN_FIELDS) && !isLonger(other))) return first;
  return {
    time: firstTold(turns, "time"),
    gitBranch: firstTold(turns, "gitBranch"),
    activeMs: Math.max(...turns.map(({ activeMs }) => activeMs)),
  };
}

const MESSAGE_FIELDS = ["time", "model", "speed", "gitBranch"] as const;
const CALL_FIELDS = ["time"] as const;
const TURN_FIELDS = ["time", "gitBranch"] as const;

function tellsMore<T>(other: T, first: T, fields: readonly (keyof T)[]): boolean {
  return fields.some((field) => first[field] === null && other[field] !== null);
}

function usedMore(other: MessageFigures, first: MessageFigures): boolean {
  const [more, usage] = [other.usage, first.usage];
  return (
    (other.isOutputKnown && !first.isOutputKnown) ||
    more.input > usage.input ||
    more.output > usage.output ||
    more.cacheRead > usage.cacheRead ||
    more.cacheWrite5m > usage.cacheWrite5m ||
    more.cacheWrite1h > usage.cacheWrite1h ||
    more.webSearches > usage.webSearches ||
    more.webFetches > usage.webFetches
  );
}

function tookLonger(other: CallFigures, first: CallFigures): boolean {
  const shortest = Number.NEGATIVE_INFINITY;
  return (other.isError && !first.isError) || (other.durationMs ?? shortest) > (first.durationMs ?? shortest);
}

function firstTold<T, Field extends keyof T>(copies: readonly [T, ...T[]], field: Field): T[Field] {
  return (copies.find((copy) => copy[field] !== null) ?? copies[0])[field];
}

function maxUsage(a: Usage, b: Usage): Usage {
  return {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cacheRead: Math.max(a.cacheRead, b.cacheRead),
    cacheWrite5m: Math.max(a.cacheWrite5m, b.cacheWrite5m),
    cacheWrite1h: Math.max(a.cacheWrite1h, b.cacheWrite1h),
    webSearches: Math.max(a.webSearches, b.webSearches),
    webFetches: Math.max(a.webFetches, b.webFetches),
  };
}
