export interface CutTexts<Value> {
  readonly value: Value;
  readonly isCut: boolean;
}

const MAX_DEPTH = 64;
/** Pictures are longer than texts that somebody reads. */
const USUAL_BYTES_LIMIT = 2_000_000;

/** A copy in which no string is longer than the limit, and nothing lies deeper than any screen could show it. */
export function cutTexts<Value>(value: Value, limit: number, bytesLimit = USUAL_BYTES_LIMIT): CutTexts<Value> {
  let isCut = false;

  function cut(part: unknown, depth: number): unknown {
    if (typeof part === "string") {
      if (part.length <= limit || (part.length <= bytesLimit && isBytes(part))) return part;
      isCut = true;
      return isBytes(part) ? "" : part.slice(0, limit);
    }
    if (typeof part !== "object" || part === null) return part;
    if (depth > MAX_DEPTH) {
      isCut = true;
      return null;
    }
    if (Array.isArray(part)) return part.map((one) => cut(one, depth + 1));
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, cut(one, depth + 1)]));
  }

  return { value: cut(value, 0) as Value, isCut };
}

/** Half a picture is none. */
function isBytes(text: string): boolean {
  return /^[A-Za-z0-9+/]{400}/.test(text);
}
