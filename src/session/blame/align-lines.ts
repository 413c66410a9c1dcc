import { findCommonLines } from "./common-lines.js";
import type { LineTable } from "./line-table.js";

/** Where a line of the later text was in the earlier one; that it was nowhere; or that nobody can tell. */
export type LineSource =
  | { readonly kind: "kept"; readonly at: number; readonly isReformatted: boolean }
  | { readonly kind: "new" }
  | { readonly kind: "doubt" };

const NEW: LineSource = { kind: "new" };
const DOUBT: LineSource = { kind: "doubt" };

interface AlignOptions {
  /** Above and below both texts the same lines go on. */
  readonly isPart?: boolean;
  /** False: what happened in between is not known, and what stands elsewhere may have been written again. */
  readonly isOneStep?: boolean;
}

/**
 * Where each line of `after` was in `before`, as far as that is certain. A line is kept if all longest common sequences of both
 * texts say so, and if it stands beside a line that is found once in each; then, what only its spacing was changed of; then, what
 * is found once in each at another place.
 */
export function alignLines(
  before: Int32Array,
  after: Int32Array,
  table: LineTable,
  { isPart = false, isOneStep = true }: AlignOptions = {},
): LineSource[] {
  const sources = new Array<LineSource>(after.length).fill(NEW);
  const isTaken = new Uint8Array(before.length);
  const isAnchor = anchorsOf(before, after, table);
  const keep = (from: number, to: number) => {
    sources[to] = { kind: "kept", at: from, isReformatted: before[from] !== after[to] };
    isTaken[from] = 1;
  };
  const common = findCommonLines(before, after);
  if (common) {
    const ends = { before: isPart ? before.length : -1, after: after.length };
    for (const [from, to] of supported(common.places, (line) => isAnchor(after[line] ?? -1), ends)) keep(from, to);
    common.isPossible.forEach((isPossible, to) => {
      if (isPossible && sources[to] === NEW) sources[to] = DOUBT;
    });
    const blocks = [...changedBlocks(sources, before.length)];
    for (const block of blocks) for (const [from, to] of sameBut(block, before, after, table, isAnchor)) keep(from, to);
  }
  for (const [from, to] of isOneStep ? uniquePairs(before, after, table, isAnchor) : []) {
    if (sources[to]?.kind !== "kept" && isTaken[from] === 0) keep(from, to);
  }
  const gone = new Set<number>();
  before.forEach((line, at) => {
    if (isTaken[at] === 0) gone.add(table.withoutSpace(line));
  });
  const isGone = (to: number) => gone.has(table.withoutSpace(after[to] ?? -1));
  return sources.map((source, to) => (source === NEW && isGone(to) ? DOUBT : source));
}

/** Which lines say enough and are found once in each text, whatever their spacing. */
function anchorsOf(before: Int32Array, after: Int32Array, table: LineTable): (line: number) => boolean {
  const [above, below] = [countLines(before, table), countLines(after, table)];
  return (line) => {
    const bare = table.withoutSpace(line);
    return table.isStrong(bare) && above.get(bare) === 1 && below.get(bare) === 1;
  };
}

/** How often each line is there, whatever its spacing. */
export function countLines(lines: Int32Array, table: LineTable): Map<number, number> {
  const counts = new Map<number, number>();
  for (const line of lines) {
    const bare = table.withoutSpace(line);
    counts.set(bare, (counts.get(bare) ?? 0) + 1);
  }
  return counts;
}

type Pair = readonly [from: number, to: number];

/** Pairs of lines in runs that hold an anchor, or that reach the beginning or the end of both texts where these count. */
function* supported(
  places: Int32Array,
  isAnchor: (to: number) => boolean,
  ends: { readonly before: number; readonly after: number },
): Generator<Pair> {
  for (let start = 0; start < places.length; ) {
    const first = places[start] ?? -1;
    let end = start + 1;
    if (first < 0) {
      start = end;
      continue;
    }
    while (end < places.length && places[end] === first + end - start) end++;
    const isAtStart = ends.before >= 0 && start === 0 && first === 0;
    const isAtEnd = end === ends.after && first + end - start === ends.before;
    let isSupported = isAtStart || isAtEnd;
    for (let to = start; to < end && !isSupported; to++) isSupported = isAnchor(to);
    for (let to = start; to < end && isSupported; to++) yield [first + to - start, to];
    start = end;
  }
}

/** What was replaced by what between two kept lines. */
interface Block {
  readonly from: number;
  readonly fromEnd: number;
  readonly to: number;
  readonly toEnd: number;
}

function* changedBlocks(sources: readonly LineSource[], length: number): Generator<Block> {
  let [from, to] = [0, 0];
  for (let at = 0; at <= sources.length; at++) {
    const source = sources[at];
    if (at < sources.length && source?.kind !== "kept") continue;
    const fromEnd = source?.kind === "kept" ? source.at : length;
    if (fromEnd > from && at > to) yield { from, fromEnd, to, toEnd: at };
    [from, to] = [fromEnd + 1, at + 1];
  }
}

function* sameBut(
  { from, fromEnd, to, toEnd }: Block,
  before: Int32Array,
  after: Int32Array,
  table: LineTable,
  isAnchor: (line: number) => boolean,
): Generator<Pair> {
  const bare = (lines: Int32Array) => lines.map((line) => table.withoutSpace(line));
  const common = findCommonLines(bare(before.subarray(from, fromEnd)), bare(after.subarray(to, toEnd)));
  if (!common) return;
  const isAnchored = (line: number) => isAnchor(after[to + line] ?? -1);
  const ends = { before: -1, after: -1 };
  for (const [above, below] of supported(common.places, isAnchored, ends)) yield [from + above, to + below];
}

function* uniquePairs(
  before: Int32Array,
  after: Int32Array,
  table: LineTable,
  isAnchor: (line: number) => boolean,
): Generator<Pair> {
  const placeOf = new Map<number, number>();
  before.forEach((line, at) => {
    if (isAnchor(line)) placeOf.set(table.withoutSpace(line), at);
  });
  for (const [to, line] of after.entries()) {
    const from = isAnchor(line) ? placeOf.get(table.withoutSpace(line)) : undefined;
    if (from !== undefined) yield [from, to];
  }
}
