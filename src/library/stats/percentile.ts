/** The smallest value that at least so many percent do not exceed. Null of nothing. */
export function percentile(sorted: ArrayLike<number>, percent: number): number | null {
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? null;
}

/** All values but, one for one, those that are taken back. */
export function sortWithout(values: readonly number[], takenBack: readonly number[]): Float64Array {
  const sorted = Float64Array.from(values).sort();
  if (takenBack.length === 0) return sorted;
  const removed = Float64Array.from(takenBack).sort();
  let at = 0;
  return sorted.filter((value) => {
    if (value !== removed[at]) return true;
    at += 1;
    return false;
  });
}
