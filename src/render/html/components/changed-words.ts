import type { Stretch } from "./code-html.js";

export interface ChangedWords {
  readonly before: readonly Stretch[];
  readonly after: readonly Stretch[];
}

const MAX_CHARACTERS = 2000;
const MAX_COMPARISONS = 40_000;
/** Lines that share less than this have nothing to do with each other. */
const LEAST_SHARED = 0.3;

/** What differs between two versions of a line, word by word; undefined where they share too little. */
export function findChangedWords(before: string, after: string): ChangedWords | undefined {
  if (before.length + after.length > MAX_CHARACTERS) return undefined;
  const [old, fresh] = [toWords(before), toWords(after)];
  const shared = sharedWords(old, fresh);
  if (!shared) return undefined;
  const isText = (index: number) => (old[index] ?? "").trim() !== "";
  const kept = shared.filter(([index]) => isText(index)).reduce((sum, [index]) => sum + (old[index]?.length ?? 0), 0);
  const text = Math.max(before.replace(/\s/g, "").length, after.replace(/\s/g, "").length);
  if (kept < LEAST_SHARED * text) return undefined;
  return {
    before: stretches(old, new Set(shared.map(([index]) => index))),
    after: stretches(fresh, new Set(shared.map(([, index]) => index))),
  };
}

function toWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

type Pair = readonly [before: number, after: number];

/** The longest common sequence; undefined where finding it takes too long. */
function sharedWords(old: readonly string[], fresh: readonly string[]): Pair[] | undefined {
  let head = 0;
  while (head < Math.min(old.length, fresh.length) && old[head] === fresh[head]) head += 1;
  let tail = 0;
  const room = Math.min(old.length, fresh.length) - head;
  while (tail < room && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const [rows, columns] = [old.length - head - tail, fresh.length - head - tail];
  if (rows * columns > MAX_COMPARISONS) return undefined;
  const between = commonBetween(old.slice(head, head + rows), fresh.slice(head, head + columns));
  return [
    ...Array.from({ length: head }, (_, at): Pair => [at, at]),
    ...between.map(([a, b]): Pair => [a + head, b + head]),
    ...Array.from({ length: tail }, (_, at): Pair => [old.length - tail + at, fresh.length - tail + at]),
  ];
}

function commonBetween(old: readonly string[], fresh: readonly string[]): Pair[] {
  const width = fresh.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = fresh.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: Pair[] = [];
  for (let row = 0, column = 0; row < old.length && column < fresh.length; ) {
    if (old[row] === fresh[column]) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}

/** The words that are not shared; neighbours become one stretch. */
function stretches(words: readonly string[], shared: ReadonlySet<number>): Stretch[] {
  const found: Stretch[] = [];
  let at = 0;
  for (const [index, word] of words.entries()) {
    const end = at + word.length;
    const last = found.at(-1);
    if (!shared.has(index)) {
      if (last && last[1] === at) found[found.length - 1] = [last[0], end];
      else found.push([at, end]);
    }
    at = end;
  }
  return found;
}
