import { isObject } from "./json.js";

export interface WellFormed {
  readonly value: unknown;
  readonly wasChanged: boolean;
}

/** JSON.stringify and the readers of its output give up on values that are nested without end. */
const MAX_DEPTH = 500;

/**
 * A JSON value that survives a strict JSON parser: half characters, which JavaScript tolerates in strings, become U+FFFD,
 * and what is nested too deeply becomes null.
 */
export function toWellFormed(value: unknown): WellFormed {
  return isWellFormed(value, 0) ? { value, wasChanged: false } : { value: mend(value, 0), wasChanged: true };
}

/** Nearly every value is: looking costs less than building it again. */
function isWellFormed(part: unknown, depth: number): boolean {
  if (typeof part === "string") return part.isWellFormed();
  if (typeof part !== "object" || part === null) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(part)) return part.every((item) => isWellFormed(item, depth + 1));
  if (!isObject(part)) return true;
  for (const key of Object.keys(part)) {
    if (!key.isWellFormed() || !isWellFormed(part[key], depth + 1)) return false;
  }
  return true;
}

function mend(part: unknown, depth: number): unknown {
  if (typeof part === "string") return part.toWellFormed();
  if (typeof part !== "object" || part === null) return part;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(part)) return part.map((item) => mend(item, depth + 1));
  if (!isObject(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([key, item]) => [key.toWellFormed(), mend(item, depth + 1)]));
}
