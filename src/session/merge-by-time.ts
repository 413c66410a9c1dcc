interface Timed {
  readonly timestamp: string | null;
}

/**
 * Puts what happened beside `items` before the first of them that came later. What has no time stays behind what precedes
 * it in its own list; at the end where nothing tells.
 */
export function mergeByTime<Item extends Timed>(
  items: readonly Item[],
  ...beside: readonly (readonly Item[])[]
): Item[] {
  const waiting = beside.flatMap(withTimes).sort((a, b) => a.time - b.time);
  const merged: Item[] = [];
  let next = 0;
  for (const item of items) {
    const time = Date.parse(item.timestamp ?? "");
    for (let first = waiting[next]; first && first.time < time; first = waiting[next]) {
      merged.push(first.item);
      next += 1;
    }
    merged.push(item);
  }
  return merged.concat(waiting.slice(next).map(({ item }) => item));
}

function withTimes<Item extends Timed>(items: readonly Item[]): { item: Item; time: number }[] {
  let last = Number.MAX_SAFE_INTEGER;
  return items.map((item) => {
    const time = Date.parse(item.timestamp ?? "");
    if (!Number.isNaN(time)) last = time;
    return { item, time: last };
  });
}
