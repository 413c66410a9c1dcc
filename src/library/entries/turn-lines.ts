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

/** Answers which turn a line belongs to; null outside the active branch. A session may have tens of thousands of ranges: they are read as numbers, without a text for each. */
export function parseTurnLines(turnLines: string): TurnLookup {
  const ranges = readRanges(turnLines);
  const hasLine = (at: number, line: number) => (ranges[at * RANGE_CELLS + 1] ?? -1) >= line;
  return (line) => {
    let at = lastAtMost(ranges, line);
    if (!hasLine(at, line)) return null;
    while (hasLine(at - 1, line)) at -= 1; // records of two turns on one line: the first one counts
    return ranges[at * RANGE_CELLS + 2] ?? null;
  };
}

/** First line, last line and turn of each range, in the order of the first lines, then of the turns. */
type LineRanges = readonly number[];

const RANGE_CELLS = 3;
const [COMMA, DASH, SEMICOLON, ZERO] = [44, 45, 59, 48];

function readRanges(turnLines: string): LineRanges {
  const ranges: number[] = [];
  let [turn, first, line, isInOrder] = [1, -1, -1, true];
  for (let at = 0; at <= turnLines.length; at++) {
    const code = at < turnLines.length ? turnLines.charCodeAt(at) : SEMICOLON;
    if (code === DASH) {
      first = line;
      line = 0;
    } else if (code === COMMA || code === SEMICOLON) {
      if (line >= 0) {
        isInOrder &&= (ranges[ranges.length - RANGE_CELLS] ?? 0) <= (first < 0 ? line : first);
        ranges.push(first < 0 ? line : first, line, turn);
      }
      [first, line] = [-1, -1];
      if (code === SEMICOLON) turn += 1;
    } else line = Math.max(0, line) * 10 + code - ZERO;
  }
  return isInOrder ? ranges : sortRanges(ranges);
}

function sortRanges(ranges: LineRanges): LineRanges {
  const starts = Array.from({ length: ranges.length / RANGE_CELLS }, (_, at) => at * RANGE_CELLS);
  const cell = (at: number) => ranges[at] ?? 0;
  return starts
    .sort((a, b) => cell(a) - cell(b) || cell(a + 2) - cell(b + 2))
    .flatMap((at) => ranges.slice(at, at + RANGE_CELLS));
}

/** The place of the last range that begins at a line or before it. */
function lastAtMost(ranges: LineRanges, line: number): number {
  let [from, to] = [0, ranges.length / RANGE_CELLS];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ranges[middle * RANGE_CELLS] ?? 0) <= line) from = middle + 1;
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
