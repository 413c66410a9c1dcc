import { isObject } from "./json.js";

/** A copy with every text changed, and lists cut to a length; the value itself where nothing changes. */
export function mapTexts(
  value: unknown,
  change: (text: string) => string,
  maxItems = Number.POSITIVE_INFINITY,
): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => mapTexts(item, change, maxItems));
    return items.length === value.length && items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, mapTexts(item, change, maxItems)] as const);
  return entries.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(entries);
}
