import { arrayAt, isObject, type JsonObject, objectAt, tryParseJson, valueAt } from "../json.js";
import { listStrings, type Member, memberFinder } from "../reader/json-members.js";
import { isStringAt } from "../reader/json-scanner.js";
import { mediaTokens } from "../record/media-size.js";
import { toUsageCounters } from "../record/usage-counters.js";

/** Images and documents cost tokens, and sizes here are bytes. */
const BYTES_PER_TOKEN = 4;
const LABELS: ReadonlySet<string> = new Set(["type", "id", "tool_use_id", "media_type", "signature"]);
const MEDIA: ReadonlySet<string> = new Set(["data", "base64"]);

const findMessage = memberFinder("message");
const findContent = memberFinder("content");
const findRendered = memberFinder("rendered");
const findAttachment = memberFinder("attachment");

/** How much of a record of the conversation the model reads; fields that only Claude Code uses do not count. */
export interface ContextSize {
  readonly bytes: number;
  /** Images and documents, whose tokens do not follow from bytes. */
  readonly hasMedia: boolean;
}

export const NO_CONTEXT: ContextSize = { bytes: 0, hasMedia: false };

export function contextSize(bytes: Buffer): ContextSize {
  const record = bytes.indexOf("{");
  const message = findMessage(bytes, record, bytes.length);
  if (message) return sumStrings(bytes, findContent(bytes, message.start, message.end));
  const rendered = findRendered(bytes, record, bytes.length);
  if (rendered) return sumStrings(bytes, rendered);
  // Versions before 2.1.281 store no rendered text, no version that of an image.
  const attachment = findAttachment(bytes, record, bytes.length);
  return attachment ? sumStrings(bytes, findContent(bytes, attachment.start, attachment.end)) : NO_CONTEXT;
}

function sumStrings(bytes: Buffer, content: Member | undefined): ContextSize {
  if (!content) return NO_CONTEXT;
  if (isStringAt(bytes, content.start)) return { bytes: content.end - content.start - 2, hasMedia: false };
  let sum = 0;
  let hasMedia = false;
  for (const { key, start, end } of listStrings(bytes, content)) {
    if (MEDIA.has(key)) {
      hasMedia = true;
      sum += mediaBytes(bytes.toString("latin1", start + 1, end - 1));
    } else if (!LABELS.has(key)) sum += end - start - 2;
  }
  return { bytes: sum, hasMedia };
}

function mediaBytes(data: string): number {
  const tokens = data === "" ? 0 : mediaTokens(data);
  return tokens === undefined ? data.length : tokens * BYTES_PER_TOKEN;
}

/** The same of content that was parsed. */
export function contentBytes(content: unknown, key = "content"): number {
  if (typeof content === "string") {
    if (MEDIA.has(key)) return mediaBytes(content);
    return LABELS.has(key) ? 0 : Buffer.byteLength(JSON.stringify(content)) - 2;
  }
  const values = Array.isArray(content) ? content.map((item) => [key, item] as const) : [];
  const members = isObject(content) ? Object.entries(content) : values;
  return members.reduce((sum, [name, value]) => sum + contentBytes(value, name), 0);
}

/** What Claude Code sends of a `prompt_snapshot` with every request, as JSON. */
export interface PromptSize {
  readonly system: number;
  readonly tools: number;
}

export function promptSize(bytes: Buffer): PromptSize {
  const attachment = objectAt(tryParseJson(bytes.toString("utf8")), "attachment");
  const tools = arrayAt(attachment, "tools");
  return {
    system: jsonBytes(valueAt(attachment, "systemPrompt")),
    tools: tools.reduce<number>((sum, tool) => sum + jsonBytes(valueAt(tool, "schema")), 0),
  };
}

function jsonBytes(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
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
