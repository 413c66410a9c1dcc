import type { ApiMessage } from "../../format/api-message.js";
import { numberAt } from "../../format/json.js";

/** An estimate: UTF-8 bytes by four. */
export function estimateTokens(value: string | readonly ApiMessage[]): number {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** What a request and its answer filled of the context window, by the API's own count. */
export function contextTokens(usage: unknown): number {
  const fields = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];
  return fields.reduce((sum, field) => sum + (numberAt(usage, field) ?? 0), 0);
}
