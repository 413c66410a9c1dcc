import type { ApiBlock, ApiMessage } from "../../format/api-message.js";

const MARK = { cache_control: { type: "ephemeral" } } as const;

/**
 * Marks the end of the last two messages of the user. The last makes the next request cheap, the one before finds what
 * the request before wrote, however many blocks lie between (the API looks back 20). With the mark at the end of the
 * system prompt, which covers the tools too, these are three of the four that the API takes.
 */
export function markMessages(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  const marked = new Set(
    messages
      .map(({ role }, at) => (role === "user" ? at : -1))
      .filter((at) => at >= 0)
      .slice(-2),
  );
  return messages.map((message, at) => (marked.has(at) ? { ...message, content: markLast(message.content) } : message));
}

export function markLast(blocks: readonly ApiBlock[]): readonly ApiBlock[] {
  return blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, ...MARK } : block));
}
