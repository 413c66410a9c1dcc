const MOST_COLUMNS = 240;

export type Group<Item> = readonly [Item, ...Item[]];

/** Neighbours together, so that no more groups are there than can be told apart. */
export function inGroups<Item>(items: readonly Item[]): Group<Item>[] {
  const size = Math.ceil(items.length / MOST_COLUMNS);
  const groups: Group<Item>[] = [];
  for (let at = 0; at < items.length; at += size) {
    const [first, ...others] = items.slice(at, at + size);
    if (first !== undefined) groups.push([first, ...others]);
  }
  return groups;
}
