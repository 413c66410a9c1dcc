import { emptyUsage, type Usage } from "../../session/usage.js";
import type { CallFigures, MessageFigures, TurnFigures } from "./ledger.js";

/** What the first tells, and where it tells nothing, another; the highest of each counter. */
export function joinMessages(messages: readonly [MessageFigures, ...MessageFigures[]]): MessageFigures {
  return {
    time: firstTold(messages, "time"),
    model: firstTold(messages, "model"),
    speed: firstTold(messages, "speed"),
    gitBranch: firstTold(messages, "gitBranch"),
    isOutputKnown: messages.some(({ isOutputKnown }) => isOutputKnown),
    usage: messages.map(({ usage }) => usage).reduce(maxUsage, emptyUsage()),
  };
}

export function joinCalls(calls: readonly [CallFigures, ...CallFigures[]]): CallFigures {
  const durations = calls.flatMap(({ durationMs }) => durationMs ?? []);
  return {
    time: firstTold(calls, "time"),
    tool: calls[0].tool,
    isError: calls.some(({ isError }) => isError),
    durationMs: durations.length === 0 ? null : Math.max(...durations),
  };
}

export function joinTurns(turns: readonly [TurnFigures, ...TurnFigures[]]): TurnFigures {
  return {
    time: firstTold(turns, "time"),
    gitBranch: firstTold(turns, "gitBranch"),
    activeMs: Math.max(...turns.map(({ activeMs }) => activeMs)),
  };
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
