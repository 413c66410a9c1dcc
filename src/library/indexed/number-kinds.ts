import { emptyUsage } from "../../session/usage.js";
import { joinCalls, joinMessages, joinTurns } from "./join-copies.js";
import {
  addUsage,
  type CallFigures,
  type CallSpan,
  gatherCalls,
  gatherMessages,
  gatherTurns,
  type MessageFigures,
  type MessageSpan,
  type TurnFigures,
  type TurnSpan,
} from "./ledger.js";
import { type PackedSpans, unpackCalls, unpackMessages, unpackTurns } from "./ledger-text.js";
import { activeTime } from "./number-rows.js";

export type Cell = string | number | null;

/** How one kind of numbers is kept in the index: one by one in a table, and added up in the ledger's column of that name. */
export interface NumberKind<Figures extends { readonly time: number | null }, Span extends { readonly slot: number }> {
  readonly table: "messages" | "calls" | "turns";
  readonly columns: string; // of the table
  toFigures(cells: readonly Cell[]): Figures;
  join(copies: readonly [Figures, ...Figures[]]): Figures;
  gather(figures: Iterable<Figures>): Span[];
  unpack(packed: PackedSpans): readonly Span[];
  /** A span that takes back what this one counts. */
  negate(span: Span): Span;
}

export const MESSAGES: NumberKind<MessageFigures, MessageSpan> = {
  table: "messages",
  columns: `time, model, speed, git_branch, output_known, input, output, cache_read, cache_write_5m, cache_write_1h,
    web_searches, web_fetches`,
  toFigures: (cells) => ({
    time: toNumber(cells[0]),
    model: toText(cells[1]),
    speed: toText(cells[2]),
    gitBranch: toText(cells[3]),
    isOutputKnown: cells[4] === 1,
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
  columns: "time, name, is_error, duration",
  toFigures: (cells) => ({
    time: toNumber(cells[0]),
    tool: toText(cells[1]) ?? "",
    isError: cells[2] === 1,
    durationMs: toNumber(cells[3]),
  }),
  join: joinCalls,
  gather: gatherCalls,
  unpack: unpackCalls,
  negate: (span) => ({ ...span, calls: -span.calls, errors: -span.errors }),
};

export const TURNS: NumberKind<TurnFigures, TurnSpan> = {
  table: "turns",
  columns: "time, git_branch, ended",
  toFigures: (cells) => ({
    time: toNumber(cells[0]),
    gitBranch: toText(cells[1]),
    activeMs: activeTime(toNumber(cells[0]), toNumber(cells[2])),
  }),
  join: joinTurns,
  gather: gatherTurns,
  unpack: unpackTurns,
  negate: (span) => ({ ...span, turns: -span.turns, activeMs: -span.activeMs }),
};

function toNumber(cell: Cell | undefined): number | null {
  return typeof cell === "number" ? cell : null;
}

function toText(cell: Cell | undefined): string | null {
  return typeof cell === "string" ? cell : null;
}
