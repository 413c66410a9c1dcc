import type { ApiBlock, ApiMessage } from "../../format/api-message.js";
import { numberAt } from "../../format/json.js";

/** The API counts what can be seen, not the bytes; of a document nobody knows here how many pages it has. */
const SEEN: ReadonlyMap<string, number> = new Map([
  ["image", 1_600],
  ["document", 20_000],
]);

/** An estimate: UTF-8 bytes by four. */
export function estimateTokens(value: string | readonly ApiMessage[]): number {
  if (typeof value === "string") return Math.ceil(Buffer.byteLength(value) / 4);
  return value.reduce((sum, { content }) => sum + tokensOf(content), 0);
}

function tokensOf(blocks: readonly ApiBlock[]): number {
  return blocks.reduce((sum, block) => {
    const parts = block["content"];
    const inside = Array.isArray(parts) ? tokensOf(parts as ApiBlock[]) : undefined;
    return sum + (SEEN.get(block.type) ?? inside ?? estimateTokens(JSON.stringify(block)));
  }, 0);
}

/** What a request and its answer filled of the context window, by the API's own count. */
export function contextTokens(usage: unknown): number {
  const fields = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];
  return fields.reduce((sum, field) => sum + (numberAt(usage, field) ?? 0), 0);
}
