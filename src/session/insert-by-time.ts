/** Before the first item that came later; at the end where no time tells. */
export function insertByTime<Item extends { readonly timestamp: string | null }>(
  items: readonly Item[],
  item: Item,
): Item[] {
  const time = Date.parse(item.timestamp ?? "");
  const later = items.findIndex(({ timestamp }) => Date.parse(timestamp ?? "") > time);
  return later < 0 ? [...items, item] : items.toSpliced(later, 0, item);
}
