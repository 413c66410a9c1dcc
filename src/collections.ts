/** The list of a key, to append to; created when it is missing. */
export function listAt<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const known = lists.get(key);
  if (known) return known;
  const list: Item[] = [];
  lists.set(key, list);
  return list;
}

/** How many items at the beginning of a list fulfil a condition that no later one fulfils; by halving. */
export function countLeading(length: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Finds the last of some numbers, which need not be in order, that is not above a limit: its index, or -1. */
export function lastUpTo(numbers: readonly number[]): (limit: number) => number {
  const least = [...numbers]; // of each and all behind it: this only grows
  for (let at = least.length - 2; at >= 0; at--) least[at] = Math.min(least[at] ?? 0, least[at + 1] ?? 0);
  return (limit) => countLeading(least.length, (at) => (least[at] ?? 0) <= limit) - 1;
}
