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

/** The turn that a line belongs to; null outside the active branch. */
export function turnOfLine(turnLines: string, line: number): number | null {
  const at = turnLines.split(";").findIndex((ranges) => ranges.split(",").some((range) => isWithin(range, line)));
  return at < 0 ? null : at + 1;
}

/** Several records may share a line, so the start of a turn is stored as line and offset. */
export function encodeTurnStarts(turns: readonly Pick<TurnOutline, "start">[]): string {
  const starts = turns.map(({ start }) => bodyPlace(start));
  return JSON.stringify(starts.map(({ line, offset }) => [line, offset]));
}

export function startOfTurn(turnStarts: string, turn: number): readonly [line: number, offset: number] | undefined {
  return (JSON.parse(turnStarts) as [number, number][])[turn - 1];
}

function isWithin(range: string, line: number): boolean {
  const [first = "", last = first] = range.split("-");
  return first !== "" && Number(first) <= line && line <= Number(last);
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
