/** The list under a key, to push into; a new one where there is none. */
export function listAt<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const known = lists.get(key);
  if (known) return known;
  const list: Item[] = [];
  lists.set(key, list);
  return list;
}
