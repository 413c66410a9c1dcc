import { isObject, type JsonObject, objectAt } from "../json.js";
import { listStrings, type Member, memberFinder } from "../reader/json-members.js";
import { isStringAt } from "../reader/json-scanner.js";
import { toUsageCounters } from "../record/usage-counters.js";

/** What an image costs, whatever its size: 1500 tokens at 4 bytes each. */
const IMAGE_BYTES = 6000;
const LABELS: ReadonlySet<string> = new Set(["type", "id", "tool_use_id", "media_type", "signature"]);

const findMessage = memberFinder("message");
const findContent = memberFinder("content");
const findRendered = memberFinder("rendered");

/** How many bytes of a record of the conversation the model reads; fields that only Claude Code uses do not count. */
export function contextBytes(bytes: Buffer): number {
  const record = bytes.indexOf("{");
  const message = findMessage(bytes, record, bytes.length);
  const read = message ? findContent(bytes, message.start, message.end) : findRendered(bytes, record, bytes.length);
  return read ? sumStrings(bytes, read) : 0;
}

function sumStrings(bytes: Buffer, content: Member): number {
  if (isStringAt(bytes, content.start)) return content.end - content.start - 2;
  let sum = 0;
  for (const { key, start, end } of listStrings(bytes, content)) {
    if (key === "data") sum += Math.min(IMAGE_BYTES, end - start);
    else if (!LABELS.has(key)) sum += end - start - 2;
  }
  return sum;
}

/** The same of content that was parsed. */
export function contentBytes(content: unknown, key = "content"): number {
  if (typeof content === "string") {
    if (key === "data") return Math.min(IMAGE_BYTES, content.length + 2);
    return LABELS.has(key) ? 0 : Buffer.byteLength(JSON.stringify(content)) - 2;
  }
  const values = Array.isArray(content) ? content.map((item) => [key, item] as const) : [];
  const members = isObject(content) ? Object.entries(content) : values;
  return members.reduce((sum, [name, value]) => sum + contentBytes(value, name), 0);
}

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
