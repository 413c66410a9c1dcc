/** Gives ids of places in a page, the same for the same session each time. */
export type Anchors = (kind: string, id: string) => string;

/** Ids in a session are any text, and may come twice. */
export function createAnchors(): Anchors {
  const given = new Map<string, number>();
  return (kind, id) => {
    const anchor = `${kind}-${id.replace(/[^\w-]+/g, "_").slice(0, LONGEST_ID)}`;
    const count = (given.get(anchor) ?? 0) + 1;
    given.set(anchor, count);
    return count === 1 ? anchor : `${anchor}.${count}`;
  };
}

const LONGEST_ID = 80;
