/** The smallest value that at least so many percent do not exceed; null of nothing. Reorders the values. */
export function percentile(values: Float64Array, percent: number): number | null {
  if (values.length === 0) return null;
  return selectNth(values, Math.max(1, Math.ceil((percent / 100) * values.length)) - 1);
}

/** Hoare's selection: sorting all durations of a library takes longer than everything else together. */
function selectNth(values: Float64Array, n: number): number {
  const at = (index: number) => values[index] ?? 0;
  let [left, right] = [0, values.length - 1];
  while (left < right) {
    const pivot = at((left + right) >>> 1);
    let [low, high] = [left, right];
    while (low <= high) {
      while (at(low) < pivot) low += 1;
      while (at(high) > pivot) high -= 1;
      if (low > high) break;
      [values[low], values[high]] = [at(high), at(low)];
      low += 1;
      high -= 1;
    }
    if (n <= high) right = high;
    else if (n >= low) left = low;
    else break;
  }
  return at(n);
}

/** All values but, one for one, those that are taken back. */
export function withoutTakenBack(values: readonly number[], takenBack: readonly number[]): Float64Array {
  if (takenBack.length === 0) return new Float64Array(values);
  const left = new Map<number, number>();
  for (const value of takenBack) left.set(value, (left.get(value) ?? 0) + 1);
  return new Float64Array(
    values.filter((value) => {
      const count = left.get(value) ?? 0;
      if (count > 0) left.set(value, count - 1);
      return count === 0;
    }),
  );
}
