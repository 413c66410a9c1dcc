import { findHunks } from "./unified-diff.js";

/** Which of several changes wrote and removed the lines of a file. */
export interface TracedLines {
  /** For each line of the last content: the change that wrote it; undefined for a line of the first content. */
  readonly writtenBy: readonly (number | undefined)[];
  /** For each line of the first content that is gone: the change that removed it. */
  readonly removedBy: ReadonlyMap<number, number>;
}

export interface TracedChange {
  readonly before: string | null;
  readonly after: string | null;
}

/** Follows lines through changes, one after the other. What changed the file between two of them has no number. */
export function traceLines(changes: Iterable<TracedChange>): TracedLines {
  let lines: Line[] | undefined;
  let content: string | null = null;
  const removedBy = new Map<number, number>();
  let number = 0;
  for (const { before, after } of changes) {
    lines ??= splitLines(before).map((_, first) => ({ first, by: undefined }));
    if (content !== before && number > 0)
      lines = passChange(lines, { before: content, after: before }, ELSEWHERE, removedBy);
    lines = passChange(lines, { before, after }, number, removedBy);
    content = after;
    number += 1;
  }
  const isOwn = (by: number | undefined) => by !== undefined && by !== ELSEWHERE;
  return {
    writtenBy: (lines ?? []).map(({ by }) => (isOwn(by) ? by : undefined)),
    removedBy: new Map([...removedBy].filter(([, by]) => isOwn(by))),
  };
}

interface Line {
  /** 0-based, in the first content; null: a change wrote it. */
  readonly first: number | null;
  readonly by: number | undefined;
}

const ELSEWHERE = -1;

function passChange(
  lines: readonly Line[],
  { before, after }: TracedChange,
  by: number,
  removedBy: Map<number, number>,
): Line[] {
  const next: Line[] = [];
  let at = 0;
  for (const { oldStart, lines: signed } of findHunks(before ?? "", after ?? "")) {
    for (; at < oldStart - 1 && at < lines.length; at++) next.push(lines[at] ?? UNKNOWN);
    for (const line of signed) {
      const known = lines[at] ?? UNKNOWN;
      if (line.startsWith("+")) next.push({ first: null, by });
      else if (line.startsWith("\\")) continue;
      else {
        if (!line.startsWith("-")) next.push(known);
        else if (known.first !== null) removedBy.set(known.first, by);
        at += 1;
      }
    }
  }
  return [...next, ...lines.slice(at)];
}

const UNKNOWN: Line = { first: null, by: undefined };

function splitLines(text: string | null): string[] {
  if (!text) return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
