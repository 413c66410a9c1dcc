import type { Finding } from "../finders/finding.js";

/** Searches a text for secrets. */
export type Search = (text: string) => readonly Finding[];

/** A way to read a part of a text that hides what it says from a search. */
export interface View {
  /** Where one of these is, the text around is read again. At least three characters. */
  readonly anchors: readonly string[];
  /** The findings around a place, and the end of the part that was read. */
  find(text: string, at: number, search: Search): { readonly findings: readonly Finding[]; readonly end: number };
}

export interface Trigger {
  readonly view: View;
  readonly at: number;
}

/** What a search finds in the parts of a text around the triggers, which are in order. */
export function findInViews(text: string, triggers: readonly Trigger[], search: Search): Finding[] {
  const found: Finding[] = [];
  const readTo = new Map<View, number>();
  for (const { view, at } of triggers) {
    if (at < (readTo.get(view) ?? 0)) continue;
    const { findings, end } = view.find(text, at, search);
    readTo.set(view, end);
    found.push(...findings);
  }
  return found;
}

export interface Span {
  readonly start: number;
  readonly end: number; // exclusive
}

/** A part of a text that reads differently: nothing for a colour code, `:` for `%3A`. */
export interface Cut extends Span {
  readonly text: string;
}

/** Searches a part of a text as it reads with its cuts; the findings are places in the text itself. */
export function searchView(text: string, { start, end }: Span, cuts: readonly Cut[], search: Search): Finding[] {
  const pieces: Piece[] = [];
  let view = "";
  let from = start;
  for (const cut of cuts) {
    view += text.slice(from, cut.start);
    pieces.push({ ...cut, viewStart: view.length, viewEnd: view.length + cut.text.length });
    view += cut.text;
    from = cut.end;
  }
  view += text.slice(from, end);
  return search(view).map((finding) => ({
    ...finding,
    start: sourceStart(pieces, start, finding.start),
    end: sourceEnd(pieces, start, finding.end),
  }));
}

interface Piece extends Cut {
  readonly viewStart: number;
  readonly viewEnd: number;
}

/** The place in the source of the character that begins here in the view. */
function sourceStart(pieces: readonly Piece[], start: number, at: number): number {
  const piece = pieces[lastBefore(pieces, at)];
  if (!piece) return start + at;
  return at < piece.viewEnd ? piece.start : piece.end + at - piece.viewEnd;
}

/** The end in the source of the character that ends here in the view. */
function sourceEnd(pieces: readonly Piece[], start: number, end: number): number {
  return sourceStart(pieces, start, end - 1) + lastLength(pieces, end - 1);
}

function lastLength(pieces: readonly Piece[], at: number): number {
  const piece = pieces[lastBefore(pieces, at)];
  return piece && at < piece.viewEnd ? piece.end - piece.start : 1;
}

/** The last piece that begins at or before a place in the view. */
function lastBefore(pieces: readonly Piece[], at: number): number {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.viewStart ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Whether a finding reaches over one of the cuts, so that it could not be found without them. */
export const crossesCut = ({ start, end }: Span, cuts: readonly Cut[]): boolean =>
  cuts.some((cut) => cut.start > start && cut.end < end);

const MAX_BEFORE = 400;

/** From the start of a line to its end, both within bounds. */
export function lineAround(text: string, at: number, maxAfter: number): Span {
  const before = text.lastIndexOf("\n", at - 1) + 1;
  const after = text.slice(at, at + maxAfter).indexOf("\n");
  return {
    start: Math.max(before, at - MAX_BEFORE, 0),
    end: after < 0 ? Math.min(text.length, at + maxAfter) : at + after,
  };
}
