/** Makes element ids that are the same each time a session is painted. */
export type Anchors = (kind: string, id: string) => string;

/** Ids in a session may be any text and may occur twice. */
export function createAnchors(): Anchors {
  const given = new Map<string, number>();
  return (kind, id) => {
    const anchor = `${kind}-${id.replace(/[^\w-]+/g, "_").slice(0, MAX_ID_CHARACTERS)}`;
    const count = (given.get(anchor) ?? 0) + 1;
    given.set(anchor, count);
    return count === 1 ? anchor : `${anchor}.${count}`;
  };
}

const MAX_ID_CHARACTERS = 80;
