import type { ApiBlock, ApiMessage } from "../../format/api-message.js";

const CLEARED = "[The result was removed to save space. Call the tool again if you need it.]";
/** Results that are read again and again are not worth clearing. */
const MIN_CHARS = 1_000;

/** The same conversation with the content of old, long tool results left out; the last `keep` messages stay whole. */
export function clearOldResults(messages: readonly ApiMessage[], keep: number): readonly ApiMessage[] {
  const border = messages.length - keep;
  return messages.map((message, at) =>
    at < border && message.role === "user" ? { ...message, content: message.content.map(clear) } : message,
  );
}

function clear(block: ApiBlock): ApiBlock {
  if (block.type !== "tool_result") return block;
  const isLong = JSON.stringify(block["content"] ?? "").length >= MIN_CHARS;
  return isLong ? { ...block, content: CLEARED } : block;
}
