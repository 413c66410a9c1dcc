/** The pairs of lines that all longest common sequences of two texts have. */
export interface CommonLines {
  /** For each line of the later text its only possible place in the earlier one; -1: none, or several. */
  readonly places: Int32Array;
  /** 1: the line may have a place. */
  readonly isPossible: Uint8Array;
}

/** More take too much memory. */
const MAX_CELLS = 12_000_000;

/** Undefined where the texts are too large and too different to tell. */
export function findCommonLines(before: Int32Array, after: Int32Array): CommonLines | undefined {
  const distance = editDistance(before, after, Math.floor(MAX_CELLS / (before.length + 1)) - 1);
  if (distance === undefined) return undefined;
  const [n, m] = [before.length, after.length];
  const common = (n + m - distance) / 2;
  // No shortest edit leaves this band of diagonals (a diagonal is the place in `after` minus the place in `before`).
  const slack = (distance - Math.abs(m - n)) / 2;
  const band = { low: Math.min(0, m - n) - slack, width: distance + 1 };
  const lengths = lengthsAbove(before, after, band);
  const pairs = new Int32Array(common); // by rank: how many pairs may have it
  const [from, to] = [new Int32Array(common), new Int32Array(common)];
  const isPossible = new Uint8Array(m);
  for (const [i, j, rest] of lengthsBelow(before, after, band)) {
    const rank = lengths[i * band.width + j - i - band.low] ?? 0;
    if (rank + 1 + rest !== common) continue;
    pairs[rank] = (pairs[rank] ?? 0) + 1;
    from[rank] = i;
    to[rank] = j;
    isPossible[j] = 1;
  }
  const places = new Int32Array(m).fill(-1);
  pairs.forEach((count, rank) => {
    if (count === 1) places[to[rank] ?? 0] = from[rank] ?? -1;
  });
  return { places, isPossible };
}

interface Band {
  readonly low: number; // the lowest diagonal
  readonly width: number;
}

/** How many lines what is above a place in both texts has in common. */
function lengthsAbove(before: Int32Array, after: Int32Array, { low, width }: Band): Int32Array {
  const lengths = new Int32Array((before.length + 1) * width);
  for (let i = 1; i <= before.length; i++) {
    const [row, above] = [i * width, (i - 1) * width];
    for (let k = Math.max(0, -i - low); k < width && i + low + k <= after.length; k++) {
      const j = i + low + k;
      const skipped = k + 1 < width ? (lengths[above + k + 1] ?? 0) : 0;
      const added = k > 0 ? (lengths[row + k - 1] ?? 0) : 0;
      const matched = j > 0 && before[i - 1] === after[j - 1] ? (lengths[above + k] ?? 0) + 1 : 0;
      lengths[row + k] = Math.max(skipped, j > 0 ? added : 0, matched);
    }
  }
  return lengths;
}

/** Every pair of equal lines, with how many lines what is below it has in common. */
function* lengthsBelow(
  before: Int32Array,
  after: Int32Array,
  { low, width }: Band,
): Generator<readonly [i: number, j: number, rest: number]> {
  let below = new Int32Array(width + 1);
  let row = new Int32Array(width + 1);
  for (let i = before.length - 1; i >= 0; i--) {
    row.fill(0);
    for (let k = Math.min(width - 1, after.length - 1 - i - low); k >= 0 && i + low + k >= 0; k--) {
      const j = i + low + k;
      const rest = below[k] ?? 0;
      const isPair = before[i] === after[j];
      if (isPair) yield [i, j, rest];
      row[k] = Math.max(k > 0 ? (below[k - 1] ?? 0) : 0, row[k + 1] ?? 0, isPair ? rest + 1 : 0);
    }
    [below, row] = [row, below];
  }
}

/** How many lines are removed and added at least (Myers); undefined where it is more than a limit. */
function editDistance(before: Int32Array, after: Int32Array, limit: number): number | undefined {
  const [n, m] = [before.length, after.length];
  const most = Math.min(n + m, limit);
  const reached = new Int32Array(2 * most + 3); // by diagonal: how far `before` is done
  for (let d = 0; d <= most; d++) {
    for (let k = -d; k <= d; k += 2) {
      const at = k + most + 1;
      const isDown = k === -d || (k !== d && (reached[at - 1] ?? 0) < (reached[at + 1] ?? 0));
      let i = isDown ? (reached[at + 1] ?? 0) : (reached[at - 1] ?? 0) + 1;
      while (i < n && i - k < m && i - k >= 0 && before[i] === after[i - k]) i++;
      reached[at] = i;
      if (i >= n && i - k >= m) return d;
    }
  }
  return undefined;
}
