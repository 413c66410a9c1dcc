export interface Located<V> {
  readonly value: V;
  readonly after: number;
}

type ReadLocated<V> = (bytes: Buffer, at: number, end: number) => Located<V> | undefined;

/**
 * Reads values that are often the same as in the record before: equal bytes are an equal value, and one native comparison
 * finds that out. The value is shared, so nobody may change it. `read` gives undefined where there is no such value.
 */
export function repeatedReader<V>(read: ReadLocated<V>): ReadLocated<V> {
  let lastBytes = Buffer.alloc(0);
  let last: V | undefined;
  return (bytes, at, end) => {
    const after = at + lastBytes.length;
    if (last !== undefined && after <= end && bytes.compare(lastBytes, 0, lastBytes.length, at, after) === 0) {
      return { value: last, after };
    }
    const located = read(bytes, at, end);
    if (located !== undefined) {
      lastBytes = Buffer.from(bytes.subarray(at, located.after));
      last = located.value;
    }
    return located;
  };
}
