import { bodyPlace } from "../../session/graph/node.js";
import type { TurnOutline } from "../../session/turns/outline-turns.js";

/** The lines of each turn as text: `3-17;18-40,44`. A result belongs to the turn of its call, so a turn may have several ranges. */
export function encodeTurnLines(turns: readonly Pick<TurnOutline, "nodes">[]): string {
  return turns
    .map(({ nodes }) =>
      toRanges(nodes.flatMap(({ line, bodyLine }) => (bodyLine === undefined ? [line] : [line, bodyLine]))),
    )
    .join(";");
}

export type TurnLookup = (line: number) => number | null;

/** Answers which turn a line belongs to; null outside the active branch. */
export function createTurnLookup(turns: readonly Pick<TurnOutline, "nodes">[]): TurnLookup {
  return parseTurnLines(encodeTurnLines(turns));
}

/** The same for encoded lines. */
export function parseTurnLines(turnLines: string): TurnLookup {
  const ranges = turnLines
    .split(";")
    .flatMap((text, at) => (text === "" ? [] : text.split(",").map((range) => toRange(range, at + 1))))
    .sort((a, b) => a.first - b.first || a.turn - b.turn);
  const hasLine = (at: number, line: number) => (ranges[at]?.last ?? -1) >= line;
  return (line) => {
    let at = lastAtMost(ranges, line);
    if (!hasLine(at, line)) return null;
    while (hasLine(at - 1, line)) at -= 1; // records of two turns on one line: the first one counts
    return ranges[at]?.turn ?? null;
  };
}

interface LineRange {
  readonly first: number;
  readonly last: number;
  readonly turn: number;
}

function toRange(text: string, turn: number): LineRange {
  const [first = "", last = first] = text.split("-");
  return { first: Number(first), last: Number(last), turn };
}

/** The place of the last range that begins at a line or before it. */
function lastAtMost(ranges: readonly LineRange[], line: number): number {
  let [from, to] = [0, ranges.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ranges[middle]?.first ?? 0) <= line) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** The place of the first record of each turn. */
export function encodeTurnStarts(turns: readonly Pick<TurnOutline, "start">[]): string {
  const starts = turns.map(({ start }) => bodyPlace(start));
  return JSON.stringify(starts.map(({ line, offset, length }) => [line, offset, length]));
}

export function parseTurnStarts(
  turnStarts: string,
): readonly (readonly [line: number, offset: number, length: number])[] {
  return JSON.parse(turnStarts) as [number, number, number][];
}

function toRanges(lines: readonly number[]): string {
  const sorted = lines.toSorted((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const line of sorted) {
    const last = ranges.at(-1);
    if (last && line <= last[1] + 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}
