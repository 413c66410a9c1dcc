import type { ToolStatus } from "../../session/messages/tool-status.js";
import { emptyUsage, type Usage } from "../../session/messages/usage.js";
import { PARTS } from "../../session/session-spend.js";
import {
  addUsage,
  type CallFigures,
  type CallSpan,
  gatherCalls,
  gatherMessages,
  gatherTurns,
  type MessageFigures,
  type MessageSpan,
  type PackedSpans,
  type TurnFigures,
  type TurnSpan,
  unpackCalls,
  unpackMessages,
  unpackTurns,
} from "./ledger.js";
import { activeTime, NO_TURN } from "./number-rows.js";

export type Cell = string | number | null;

/** How one kind of numbers is stored: single rows in a table, and sums in the ledger's column of the same name. */
export interface NumberKind<Figures extends { readonly time: number | null }, Span extends { readonly slot: number }> {
  readonly table: "messages" | "calls" | "turns";
  readonly columns: string; // of the table
  toFigures(cells: readonly Cell[]): Figures;
  join(copies: readonly [Figures, ...Figures[]]): Figures;
  gather(figures: Iterable<Figures>): Span[];
  unpack(packed: PackedSpans): readonly Span[];
  /** A span that cancels this one. */
  negate(span: Span): Span;
}

export const MESSAGES: NumberKind<MessageFigures, MessageSpan> = {
  table: "messages",
  columns: `time, model, speed, git_branch, output_known, input, output, cache_read, cache_write_5m, cache_write_1h,
    web_searches, web_fetches, part`,
  toFigures: (cells) => ({
    time: toNumber(cells[0]),
    model: toText(cells[1]),
    speed: toText(cells[2]),
    gitBranch: toText(cells[3]),
    isOutputKnown: cells[4] === 1,
    part: PARTS[Number(cells[12])] ?? "active",
    usage: {
      input: Number(cells[5]),
      output: Number(cells[6]),
      cacheRead: Number(cells[7]),
      cacheWrite5m: Number(cells[8]),
      cacheWrite1h: Number(cells[9]),
      webSearches: Number(cells[10]),
      webFetches: Number(cells[11]),
    },
  }),
  join: joinMessages,
  gather: gatherMessages,
  unpack: unpackMessages,
  negate(span) {
    const usage = emptyUsage();
    addUsage(usage, span.usage, -1);
    return { ...span, messages: -span.messages, unknownOutputs: -span.unknownOutputs, usage };
  },
};

export const CALLS: NumberKind<CallFigures, CallSpan> = {
  table: "calls",
  columns: "time, name, is_error, duration, status",
  toFigures: (cells) => ({
    time: toNumber(cells[0]),
    tool: toText(cells[1]) ?? "",
    isError: cells[2] === 1,
    durationMs: toNumber(cells[3]),
    status: toText(cells[4]) as ToolStatus,
  }),
  join: joinCalls,
  gather: gatherCalls,
  unpack: unpackCalls,
  negate: (span) => ({
    ...span,
    calls: -span.calls,
    errors: -span.errors,
    failed: -span.failed,
    denied: -span.denied,
    interrupted: -span.interrupted,
  }),
};

export const TURNS: NumberKind<TurnFigures, TurnSpan> = {
  table: "turns",
  columns: "time, git_branch, ended, api_errors, number",
  toFigures: (cells) => ({
    time: toNumber(cells[0]),
    gitBranch: toText(cells[1]),
    activeMs: activeTime(toNumber(cells[0]), toNumber(cells[2])),
    apiErrors: Number(cells[3]),
    isTurn: cells[4] !== NO_TURN,
  }),
  join: joinTurns,
  gather: gatherTurns,
  unpack: unpackTurns,
  negate: (span) => ({ ...span, turns: -span.turns, activeMs: -span.activeMs, apiErrors: -span.apiErrors }),
};

function toNumber(cell: Cell | undefined): number | null {
  return typeof cell === "number" ? cell : null;
}

function toText(cell: Cell | undefined): string | null {
  return typeof cell === "string" ? cell : null;
}

/** The fields of the first copy, missing ones from the others, and the highest of each counter. Returns the first itself where the others add nothing. */
function joinMessages(messages: readonly [MessageFigures, ...MessageFigures[]]): MessageFigures {
  const [first, ...others] = messages;
  if (others.every((other) => !isMoreComplete(other, first, MESSAGE_FIELDS) && !hasHigherUsage(other, first)))
    return first;
  return {
    time: firstKnown(messages, "time"),
    model: firstKnown(messages, "model"),
    speed: firstKnown(messages, "speed"),
    gitBranch: firstKnown(messages, "gitBranch"),
    part: first.part,
    isOutputKnown: messages.some(({ isOutputKnown }) => isOutputKnown),
    usage: messages.map(({ usage }) => usage).reduce(maxUsage),
  };
}

function joinCalls(calls: readonly [CallFigures, ...CallFigures[]]): CallFigures {
  const [first, ...others] = calls;
  if (others.every((other) => !isMoreComplete(other, first, CALL_FIELDS) && !tookLonger(other, first))) return first;
  const durations = calls.flatMap(({ durationMs }) => durationMs ?? []);
  return {
    time: firstKnown(calls, "time"),
    tool: calls[0].tool,
    isError: calls.some(({ isError }) => isError),
    status: calls.find(({ status }) => status !== "orphan")?.status ?? "orphan",
    durationMs: durations.length === 0 ? null : Math.max(...durations),
  };
}

function joinTurns(turns: readonly [TurnFigures, ...TurnFigures[]]): TurnFigures {
  const [first, ...others] = turns;
  const isLonger = ({ activeMs, apiErrors }: TurnFigures) => activeMs > first.activeMs || apiErrors > first.apiErrors;
  if (others.every((other) => !isMoreComplete(other, first, TURN_FIELDS) && !isLonger(other))) return first;
  return {
    time: firstKnown(turns, "time"),
    gitBranch: firstKnown(turns, "gitBranch"),
    activeMs: Math.max(...turns.map(({ activeMs }) => activeMs)),
    apiErrors: Math.max(...turns.map(({ apiErrors }) => apiErrors)),
    isTurn: first.isTurn,
  };
}

const MESSAGE_FIELDS = ["time", "model", "speed", "gitBranch"] as const;
const CALL_FIELDS = ["time"] as const;
const TURN_FIELDS = ["time", "gitBranch"] as const;

function isMoreComplete<T>(other: T, first: T, fields: readonly (keyof T)[]): boolean {
  return fields.some((field) => first[field] === null && other[field] !== null);
}

function hasHigherUsage(other: MessageFigures, first: MessageFigures): boolean {
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
  return (
    (other.isError && !first.isError) ||
    (first.status === "orphan" && other.status !== "orphan") ||
    (other.durationMs ?? shortest) > (first.durationMs ?? shortest)
  );
}

function firstKnown<T, Field extends keyof T>(copies: readonly [T, ...T[]], field: Field): T[Field] {
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

/** One of several copies of the same message, call or turn. */
export interface Copy<Figures> {
  readonly key: string;
  readonly file: number;
  readonly isCopied: boolean;
  readonly figures: Figures;
}

/** The copies of one message, call or turn: it counts once, in `file`. */
export interface Merged<Figures> {
  readonly key: string;
  readonly copies: readonly Copy<Figures>[];
  readonly file: number;
  readonly figures: Figures;
}

/** `pathOf` returns undefined for files out of scope. */
export function mergeCopies<Figures>(
  copies: readonly Copy<Figures>[],
  pathOf: (file: number) => string | undefined,
  join: (figures: readonly [Figures, ...Figures[]]) => Figures,
): Merged<Figures>[] {
  const groups = new Map<string, Copy<Figures>[]>();
  for (const copy of copies) {
    if (pathOf(copy.file) === undefined) continue;
    const group = groups.get(copy.key);
    if (group) group.push(copy);
    else groups.set(copy.key, [copy]);
  }
  const merged: Merged<Figures>[] = [];
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    const inOrder = (a: Copy<Figures>, b: Copy<Figures>) => compareCopies(a, b, pathOf);
    const first = group.reduce((best, copy) => (inOrder(copy, best) < 0 ? copy : best));
    const others = group.filter((copy) => copy !== first).sort(inOrder);
    const figures = join([first.figures, ...others.map((copy) => copy.figures)]);
    merged.push({ key: first.key, copies: group, file: first.file, figures });
  }
  return merged;
}

/** The original before copies made by forks, then by path, so that the choice is stable. */
function compareCopies(a: Copy<unknown>, b: Copy<unknown>, pathOf: (file: number) => string | undefined): number {
  if (a.isCopied !== b.isCopied) return a.isCopied ? 1 : -1;
  return (pathOf(a.file) ?? "") < (pathOf(b.file) ?? "") ? -1 : 1;
}
