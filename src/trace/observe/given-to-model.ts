import type { LogRecord } from "../../format/record/record.js";
import type { Message } from "../../session/messages/message.js";
import type { Notice } from "../../session/turns/notices.js";
import { type ChatMessage, resultMessages, userMessage } from "./conversation.js";
import type { Exchange } from "./exchange.js";

type Given = Pick<Exchange, "toolCalls" | "records" | "followUps" | "notices">;

/**
 * What the model read for the first time with each message, asked in their order: the prompt, then the results of the calls before
 * it, and what was queued meanwhile.
 */
export function givenToModel(exchange: Given, prompt: ChatMessage | null): (message: Message) => ChatMessage[] {
  const calls = new Map(exchange.toolCalls.map((call) => [call.id, call]));
  const lines = linesOf(exchange.records);
  const queued = queuedWords(exchange);
  let waiting: ChatMessage[] = prompt === null ? [] : [prompt];
  return (message) => {
    const line = lines.get(message.recordUuids[0] ?? "") ?? 0;
    const words = queued
      .splice(0, queued.findLastIndex((item) => item.line < line) + 1)
      .map(({ text }) => userMessage(text));
    const read = [...waiting, ...words];
    waiting = message.blocks.flatMap((block) => {
      const call = block.kind === "toolCall" && !block.isServerSide ? calls.get(block.id) : undefined;
      return call ? resultMessages(call) : [];
    });
    return read;
  };
}

/** The lines of answers, by the uuids of their records. */
export function linesOf(records: readonly LogRecord[]): ReadonlyMap<string, number> {
  return new Map(
    records.flatMap((record) =>
      record.kind === "assistant" && record.uuid ? [[record.uuid, record.line] as const] : [],
    ),
  );
}

const READ_BY_MODEL: ReadonlySet<Notice["kind"]> = new Set<Notice["kind"]>(["notification", "nonHuman"]);

function queuedWords({ followUps, notices }: Given): { readonly line: number; readonly text: string }[] {
  const asked = followUps.flatMap(({ line, prompt, deliveryRecorded }) =>
    deliveryRecorded && prompt !== "" ? [{ line, text: prompt }] : [],
  );
  const told = notices.filter(({ kind }) => READ_BY_MODEL.has(kind)).map(({ line, text }) => ({ line, text }));
  return [...asked, ...told].sort((a, b) => a.line - b.line);
}
