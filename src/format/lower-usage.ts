import { isObject, type JsonObject, objectAt } from "./json.js";
import { toUsageCounters } from "./usage-counters.js";

const CONTEXT_COUNTER = /^(?:input_tokens|cache_(?:read|creation)_input_tokens|ephemeral_.*_input_tokens)$/;

/** An answer whose request counts less: all that was sent, in the same proportions. */
export function lowerUsage(answer: JsonObject, factor: number): JsonObject {
  const message = objectAt(answer, "message");
  const usage = objectAt(message, "usage");
  return usage ? { ...answer, message: { ...message, usage: lowerCounters(usage, factor) } } : answer;
}

/** What the request of an answer counted; 0 for all else. */
export function countContext(row: JsonObject): number {
  const usage = toUsageCounters(objectAt(objectAt(row, "message"), "usage"));
  return usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0;
}

function lowerCounters(counters: JsonObject, factor: number): JsonObject {
  return Object.fromEntries(
    Object.entries(counters).map(([key, value]) => [key, lowerValue(key, value, factor)] as const),
  );
}

function lowerValue(key: string, value: unknown, factor: number): unknown {
  if (typeof value === "number" && CONTEXT_COUNTER.test(key)) return Math.floor(value * factor);
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? lowerCounters(item, factor) : item));
  return isObject(value) ? lowerCounters(value, factor) : value;
}
