import { emptyUsage, type Usage } from "../../session/messages/usage.js";
import type {
  CallFigures,
  CallRow,
  Copyable,
  MessageFigures,
  MessageRow,
  TurnFigures,
  TurnRow,
} from "../../session/number-rows.js";
import { type Database, prepareOnce } from "../../store/sqlite.js";
import {
  addUsage,
  type CallSpan,
  gatherCalls,
  gatherMessages,
  gatherTurns,
  type MessageSpan,
  type PackedSpans,
  type TurnSpan,
  unpackCalls,
  unpackMessages,
  unpackTurns,
} from "../entries/ledger.js";
import {
  packCallRows,
  packMessageRows,
  packTurnRows,
  unpackCallRows,
  unpackMessageRows,
  unpackTurnRows,
} from "../entries/packed-rows.js";

/** How the messages, calls or turns of a file are stored one by one, in a column of `numbers`. */
export interface RowKind<Row extends Copyable = Copyable> {
  readonly column: "messages" | "calls" | "turns";
  packRows(rows: readonly Row[]): string;
  unpackRows(packed: PackedSpans): readonly Row[];
}

/** The same as sums, in the column of `ledgers` of the same name. */
export interface NumberKind<
  Figures extends { readonly time: number | null },
  Span extends { readonly slot: number },
  Row extends Figures & Copyable = Figures & Copyable,
> extends RowKind<Row> {
  join(copies: readonly [Figures, ...Figures[]]): Figures;
  gather(figures: Iterable<Figures>): Span[];
  unpack(packed: PackedSpans): readonly Span[];
  /** A span that cancels this one. */
  negate(span: Span): Span;
}

/** The messages, calls or turns of a file, one by one. */
export function readRows<Row extends Copyable>(
  db: Database,
  { column, unpackRows }: RowKind<Row>,
  file: number,
): readonly Row[] {
  const select = prepareOnce<{ rows: string }>(db, `SELECT ${column} AS rows FROM numbers WHERE file = ?`);
  const rows = select.get(file)?.rows;
  return rows === undefined ? [] : unpackRows(JSON.parse(rows) as PackedSpans);
}

export const MESSAGES: NumberKind<MessageFigures, MessageSpan, MessageRow> = {
  column: "messages",
  packRows: packMessageRows,
  unpackRows: unpackMessageRows,
  join: joinMessages,
  gather: gatherMessages,
  unpack: unpackMessages,
  negate(span) {
    const usage = emptyUsage();
    addUsage(usage, span.usage, -1);
    return { ...span, messages: -span.messages, unknownOutputs: -span.unknownOutputs, usage };
  },
};

export const CALLS: NumberKind<CallFigures, CallSpan, CallRow> = {
  column: "calls",
  packRows: packCallRows,
  unpackRows: unpackCallRows,
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

export const TURNS: NumberKind<TurnFigures, TurnSpan, TurnRow> = {
  column: "turns",
  packRows: packTurnRows,
  unpackRows: unpackTurnRows,
  join: joinTurns,
  gather: gatherTurns,
  unpack: unpackTurns,
  negate: (span) => ({ ...span, turns: -span.turns, activeMs: -span.activeMs, apiErrors: -span.apiErrors }),
};

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
  readonly key: number | string;
  readonly file: number;
  readonly isCopied: boolean;
  readonly figures: Figures;
}

/** The copies of one message, call or turn: it counts once, in `file`. */
export interface Merged<Figures> {
  readonly key: number | string;
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
  const groups = new Map<number | string, Copy<Figures>[]>();
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
