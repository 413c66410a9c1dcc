export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function valueAt(json: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), json);
}

export function stringAt(json: unknown, ...path: readonly string[]): string | null {
  const value = valueAt(json, ...path);
  return typeof value === "string" ? value : null;
}

export function numberAt(json: unknown, ...path: readonly string[]): number | null {
  const value = valueAt(json, ...path);
  return typeof value === "number" ? value : null;
}
