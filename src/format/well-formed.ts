import { isObject } from "./json.js";

export interface WellFormed {
  readonly value: unknown;
  readonly wasChanged: boolean;
}

/** JSON.stringify and the readers of its output give up on values that are nested without end. */
const MAX_DEPTH = 500;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/**
 * A JSON value that survives a strict JSON parser: half characters, which JavaScript tolerates in strings, become U+FFFD,
 * and what is nested too deeply becomes null.
 */
export function toWellFormed(value: unknown): WellFormed {
  let wasChanged = false;

  function mend(part: unknown, depth: number): unknown {
    if (typeof part === "string") return mendText(part);
    if (typeof part !== "object" || part === null) return part;
    if (depth > MAX_DEPTH) {
      wasChanged = true;
      return null;
    }
    if (Array.isArray(part)) return part.map((item) => mend(item, depth + 1));
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [mendText(key), mend(item, depth + 1)]));
  }

  function mendText(text: string): string {
    const mended = text.replace(LONE_SURROGATES, "\ufffd");
    if (mended !== text) wasChanged = true;
    return mended;
  }

  const mended = mend(value, 0);
  return { value: wasChanged ? mended : value, wasChanged };
}
