import type { DiffTurn } from "../../session/session-diff.js";

export interface ComparedTurn {
  /** Of its starting record and its messages: copies of a session share them. */
  readonly ids: readonly string[];
  readonly turn: DiffTurn;
}

/** Undefined where the other side has nothing like it. */
export type Pair = readonly [ComparedTurn | undefined, ComparedTurn | undefined];

/** Turns that share ids belong together; between these, those whose prompts are most alike, in order. */
export function* alignTurns(a: readonly ComparedTurn[], b: readonly ComparedTurn[]): Generator<void, Pair[]> {
  const pairs: Pair[] = [];
  let [doneA, doneB] = [0, 0];
  for (const [atA, atB] of findShared(a, b)) {
    pairs.push(...(yield* alignByPrompt(a.slice(doneA, atA), b.slice(doneB, atB))), [a[atA], b[atB]]);
    [doneA, doneB] = [atA + 1, atB + 1];
  }
  return [...pairs, ...(yield* alignByPrompt(a.slice(doneA), b.slice(doneB)))];
}

function findShared(a: readonly ComparedTurn[], b: readonly ComparedTurn[]): [number, number][] {
  const places = new Map(b.flatMap(({ ids }, at) => ids.map((id) => [id, at] as const)));
  const shared: [number, number][] = [];
  a.forEach(({ ids }, at) => {
    const other = ids.flatMap((id) => places.get(id) ?? [])[0];
    if (other !== undefined && other > (shared.at(-1)?.[1] ?? -1)) shared.push([at, other]);
  });
  return shared;
}

/** Below this, prompts have nothing to do with each other. */
const LEAST_ALIKE = 0.5;
/** A table of more cells is not worth its memory; then only equal places are compared. */
const MOST_CELLS = 1_000_000;

function* alignByPrompt(a: readonly ComparedTurn[], b: readonly ComparedTurn[]): Generator<void, Pair[]> {
  if (a.length * b.length > MOST_CELLS) return [...a.map(onlyLeft), ...b.map(onlyRight)];
  const words = [a.map(wordsOf), b.map(wordsOf)] as const;
  const alike = (left: number, right: number) => similarity(words[0][left], words[1][right]);
  const best = yield* fillTable(a.length, b.length, alike);
  const pairs: Pair[] = [];
  let [left, right] = [0, 0];
  while (left < a.length && right < b.length) {
    const here = at(best, left, right);
    if (here === at(best, left + 1, right)) pairs.push([a[left++], undefined]);
    else if (here === at(best, left, right + 1)) pairs.push([undefined, b[right++]]);
    else pairs.push([a[left++], b[right++]]);
  }
  return [...pairs, ...a.slice(left).map(onlyLeft), ...b.slice(right).map(onlyRight)];
}

function onlyLeft(turn: ComparedTurn): Pair {
  return [turn, undefined];
}

function onlyRight(turn: ComparedTurn): Pair {
  return [undefined, turn];
}

/** The most likeness that the rest of both sides can have, from each pair of places on. */
function* fillTable(
  rows: number,
  columns: number,
  alike: (row: number, column: number) => number,
): Generator<void, Float64Array[]> {
  const table = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1));
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const likeness = alike(row, column);
      const paired = likeness < LEAST_ALIKE ? 0 : likeness + at(table, row + 1, column + 1);
      const best = Math.max(paired, at(table, row + 1, column), at(table, row, column + 1));
      table[row]?.fill(best, column, column + 1);
    }
    yield;
  }
  return table;
}

function at(table: readonly Float64Array[], row: number, column: number): number {
  return table[row]?.[column] ?? 0;
}

const MOST_WORDS = 500;

function wordsOf({ turn }: ComparedTurn): ReadonlySet<string> {
  return new Set(turn.prompt.toLowerCase().split(/\s+/u, MOST_WORDS));
}

/** The share of words that both have. */
function similarity(a: ReadonlySet<string> = new Set(), b: ReadonlySet<string> = new Set()): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return (2 * shared) / Math.max(1, a.size + b.size);
}
