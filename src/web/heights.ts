/** Where rows of different heights begin; the last one is where all end. */
export function toOffsets(count: number, heightAt: (row: number) => number): Float64Array {
  const offsets = new Float64Array(count + 1);
  for (let row = 0; row < count; row += 1) offsets[row + 1] = (offsets[row] ?? 0) + heightAt(row);
  return offsets;
}

/** The row at a height. */
export function rowAt(offsets: Float64Array, height: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((offsets[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}
