import type { ToolStatus } from "../../session/messages/tool-status.js";
import { activeTime, type CallRow, type MessageRow, NO_TURN, type TurnRow } from "../../session/number-rows.js";
import { PARTS } from "../../session/session-spend.js";
import { type PackedSpans, pack } from "./ledger.js";

/*
 * The messages, calls and turns of a file as they are stored: one text for all of a kind. Rows of their own in SQLite would take
 * ten times as long to write, and few questions need single ones: sums are in the ledger.
 */

export function packMessageRows(rows: readonly MessageRow[]): string {
  return pack((name, numbers) => {
    for (const { key, isCopied, turn, time, model, speed, gitBranch, part, usage, isOutputKnown } of rows) {
      numbers.push(key, Number(isCopied), turn ?? NONE, time ?? NONE, name(model), name(speed), name(gitBranch));
      numbers.push(PARTS.indexOf(part), Number(isOutputKnown), usage.input, usage.output, usage.cacheRead);
      numbers.push(usage.cacheWrite5m, usage.cacheWrite1h, usage.webSearches, usage.webFetches);
    }
  });
}

export function unpackMessageRows([names, numbers]: PackedSpans): MessageRow[] {
  return unpackEach(numbers, 16, (cell) => ({
    key: cell(0),
    isCopied: cell(1) === 1,
    turn: orNull(cell(2)),
    time: orNull(cell(3)),
    model: names[cell(4)] ?? null,
    speed: names[cell(5)] ?? null,
    gitBranch: names[cell(6)] ?? null,
    part: PARTS[cell(7)] ?? "active",
    isOutputKnown: cell(8) === 1,
    usage: {
      input: cell(9),
      output: cell(10),
      cacheRead: cell(11),
      cacheWrite5m: cell(12),
      cacheWrite1h: cell(13),
      webSearches: cell(14),
      webFetches: cell(15),
    },
  }));
}

export function packCallRows(rows: readonly CallRow[]): string {
  return pack((name, numbers) => {
    for (const { key, isCopied, line, time, tool, isError, status, durationMs } of rows) {
      numbers.push(key, Number(isCopied), line, time ?? NONE, name(tool), Number(isError), name(status));
      numbers.push(durationMs ?? NO_DURATION);
    }
  });
}

export function unpackCallRows([names, numbers]: PackedSpans): CallRow[] {
  return unpackEach(numbers, 8, (cell) => ({
    key: cell(0),
    isCopied: cell(1) === 1,
    line: cell(2),
    time: orNull(cell(3)),
    tool: names[cell(4)] ?? "",
    isError: cell(5) === 1,
    status: names[cell(6)] as ToolStatus,
    durationMs: cell(7) === NO_DURATION ? null : cell(7),
  }));
}

export function packTurnRows(rows: readonly TurnRow[]): string {
  return pack((name, numbers) => {
    for (const { key, isCopied, number, time, ended, gitBranch, apiErrors } of rows) {
      numbers.push(key, Number(isCopied), number, time ?? NONE, ended ?? NONE, name(gitBranch), apiErrors);
    }
  });
}

export function unpackTurnRows([names, numbers]: PackedSpans): TurnRow[] {
  return unpackEach(numbers, 7, (cell) => {
    const [number, time, ended] = [cell(2), orNull(cell(3)), orNull(cell(4))];
    return {
      key: cell(0),
      isCopied: cell(1) === 1,
      number,
      time,
      ended,
      gitBranch: names[cell(5)] ?? null,
      activeMs: activeTime(time, ended),
      apiErrors: cell(6),
      isTurn: number !== NO_TURN,
    };
  });
}

/** In place of null: neither a time since the epoch nor the number of a turn. */
const NONE = -1e15;
/** A clock that was set back makes durations negative. */
const NO_DURATION = NONE;

function orNull(cell: number): number | null {
  return cell === NONE ? null : cell;
}

function unpackEach<Row>(
  numbers: readonly number[],
  width: number,
  toRow: (cell: (at: number) => number) => Row,
): Row[] {
  const rows: Row[] = [];
  let from = 0;
  const cell = (at: number) => numbers[from + at] ?? 0;
  for (; from < numbers.length; from += width) rows.push(toRow(cell));
  return rows;
}
