import type { Message } from "../../session/messages/message.js";
import type { ToolCall } from "../../session/turns/tool-calls.js";

/** What a span was given or gave back: messages of the conversation, or any other value. */
export type Content =
  | { readonly kind: "messages"; readonly messages: readonly ChatMessage[] }
  | { readonly kind: "value"; readonly value: unknown };

/** A message as the model read or wrote it. */
export interface ChatMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly parts: readonly ChatPart[];
  /** Why the model stopped, as the API calls it; null for what the model did not write. */
  readonly stopReason: string | null;
}

export type ChatPart =
  | { readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly kind: "toolCall"; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly kind: "toolResult";
      readonly id: string;
      readonly name: string | null;
      readonly text: string | null;
      readonly isError: boolean;
    };

export function messagesContent(...messages: readonly ChatMessage[]): Content {
  return { kind: "messages", messages };
}

export function userMessage(text: string): ChatMessage {
  return { role: "user", parts: [{ kind: "text", text }], stopReason: null };
}

/** An answer in full, or its words alone. */
export function answerMessage(message: Message, which: "full" | "words" = "full"): ChatMessage {
  const all = message.blocks.flatMap(toPart);
  const parts = which === "full" ? all : all.filter(({ kind }) => kind === "text");
  return { role: "assistant", parts, stopReason: message.stopReason };
}

function toPart(block: Message["blocks"][number]): ChatPart[] {
  switch (block.kind) {
    case "text":
      return block.text.trim() === "" ? [] : [{ kind: "text", text: block.text }];
    case "thinking":
      return block.text.trim() === "" ? [] : [{ kind: "reasoning", text: block.text }];
    case "toolCall":
      return [{ kind: "toolCall", id: block.id, name: block.name, input: block.input }];
    case "toolResult": {
      const { toolUseId: id, text, isError } = block;
      return [{ kind: "toolResult", id, name: null, text, isError }];
    }
    default:
      return [];
  }
}

/** What the model read as the result of a call; nothing where none was recorded. */
export function resultMessages({ id, name, result, replacement, status, resultUuids }: ToolCall): ChatMessage[] {
  if (status === "orphan" && resultUuids.length === 0) return [];
  const isError = status === "error" || status === "denied";
  const text = replacement ?? result;
  return [{ role: "tool", parts: [{ kind: "toolResult", id, name, text, isError }], stopReason: null }];
}

/** The words of messages, without thinking and tools. */
export function wordsOf(content: Content | undefined): string {
  if (content?.kind !== "messages") return "";
  const texts = content.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === "text" ? part.text : [])),
  );
  return texts.join("\n");
}

const PART_CHARS = 20; // what the names around a part take, about

/** About how long a message is as text. */
export function lengthOf({ parts }: ChatMessage): number {
  const lengths = parts.map((part) => {
    if (part.kind === "toolCall") return PART_CHARS + (JSON.stringify(part.input)?.length ?? 0);
    return PART_CHARS + (part.text?.length ?? 0);
  });
  return lengths.reduce((a, b) => a + b, 0);
}

/** More than this no target gets. */
const MAX_CONVERSATION_CHARS = 200_000;

/** The last messages that fit, at least one; where some were left out, not beginning with results whose calls are gone. */
export function lastThatFit(
  messages: readonly ChatMessage[],
  maxChars: number = MAX_CONVERSATION_CHARS,
): readonly ChatMessage[] {
  let chars = 0;
  const last = messages.findLastIndex((message) => {
    chars += lengthOf(message);
    return chars > maxChars;
  });
  if (last < 0) return messages;
  const kept = messages.slice(Math.min(last + 1, messages.length - 1));
  const start = kept.findIndex(({ role }) => role !== "tool");
  return kept.slice(Math.max(0, start));
}
