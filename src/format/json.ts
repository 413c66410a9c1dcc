export interface JsonObject {
  readonly [key: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** An empty id identifies nothing. */
export function asId(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The value at a path of one to three keys; undefined as soon as something on the way is not an object. */
export function valueAt(value: unknown, key: string, second?: string, third?: string): unknown {
  const found = isObject(value) ? value[key] : undefined;
  if (second === undefined) return found;
  const below = isObject(found) ? found[second] : undefined;
  if (third === undefined) return below;
  return isObject(below) ? below[third] : undefined;
}

export function stringAt(value: unknown, key: string, second?: string, third?: string): string | undefined {
  return asString(valueAt(value, key, second, third));
}

export function numberAt(value: unknown, key: string, second?: string, third?: string): number | undefined {
  return asNumber(valueAt(value, key, second, third));
}

export function objectAt(value: unknown, key: string, second?: string): JsonObject | undefined {
  return asObject(valueAt(value, key, second));
}

export function arrayAt(value: unknown, key: string, second?: string): readonly unknown[] {
  const found = valueAt(value, key, second);
  return Array.isArray(found) ? found : [];
}

export function isTrueAt(value: unknown, key: string, second?: string): boolean {
  return valueAt(value, key, second) === true;
}

/** A parsed value, or undefined where the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
  return isWellFormed(value, 0) ? { value, wasChanged: false } : { value: repairText(value, 0), wasChanged: true };
}

/** JSON for reading: of what is nested too deeply for a text, null. */
export function toJsonText(value: unknown, indent?: number): string | undefined {
  try {
    return JSON.stringify(value, null, indent);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.stringify(toWellFormed(value).value, null, indent);
  }
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

function repairText(part: unknown, depth: number): unknown {
  if (typeof part === "string") return part.toWellFormed();
  if (typeof part !== "object" || part === null) return part;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(part)) return part.map((item) => repairText(item, depth + 1));
  if (!isObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, item]) => [key.toWellFormed(), repairText(item, depth + 1)]),
  );
}
