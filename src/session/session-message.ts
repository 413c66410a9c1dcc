import type { AssistantRecord } from "../format/record.js";
import type { UsageFields } from "../format/usage-fields.js";
import { costOf, type PriceTable } from "./cost.js";
import { maxUsageFields, toUsage, type Usage } from "./usage.js";

/** What the skeleton keeps of one API message: the sum of its records, whatever their order and number. */
export interface MessageSketch {
  readonly key: string;
  readonly id: string | null;
  readonly model: string | undefined;
  readonly stopReason: string | undefined; // the last one recorded
  readonly fields: UsageFields | undefined;
  readonly isSynthetic: boolean;
  readonly isInjected: boolean;
}

const SYNTHETIC_MODEL = "<synthetic>";
/** Streaming starts with a placeholder of a few tokens that some clients never replace. */
const PLACEHOLDER_OUTPUT = 8;

/** Records with the same key are one message: by message id, else by request, else each for itself. */
export function messageKey(record: AssistantRecord): string {
  const chain = record.isSidechain ? `${record.agentId ?? "side"}/` : "";
  return chain + (record.messageId ?? record.requestId ?? record.uuid ?? `${record.fingerprint}`);
}

export function isSynthetic(record: AssistantRecord): boolean {
  return record.model === SYNTHETIC_MODEL;
}

export function sketchMessage(record: AssistantRecord, known: MessageSketch | undefined): MessageSketch {
  return {
    key: messageKey(record),
    id: record.messageId ?? known?.id ?? null,
    model: record.model ?? known?.model,
    stopReason: record.stopReason ?? known?.stopReason,
    fields: maxUsageFields(known?.fields, record.usage),
    isSynthetic: isSynthetic(record) || (known?.isSynthetic ?? false),
    isInjected: record.isMeta || (known?.isInjected ?? false),
  };
}

/** Whether a message came from the model and counts: not written by the client, not injected. */
export function isCountedMessage({ isSynthetic: synthetic, isInjected }: MessageSketch): boolean {
  return !synthetic && !isInjected;
}

export function usageOf(message: MessageSketch): Usage {
  return toUsage(isCountedMessage(message) ? message.fields : undefined);
}

/** False where the file holds only the placeholder with which streaming begins. */
export function isOutputKnown({ stopReason, fields, isSynthetic: synthetic }: MessageSketch): boolean {
  return synthetic || stopReason !== undefined || (fields?.output ?? 0) > PLACEHOLDER_OUTPUT;
}

/** Null as soon as one message that used tokens has no known price. */
export function costOfMessages(messages: Iterable<MessageSketch>, prices?: PriceTable): number | null {
  let sum = 0;
  for (const message of messages) {
    if (!isCountedMessage(message) || !message.fields) continue;
    const cost = costOf(usageOf(message), message.model, message.fields.speed, prices);
    if (cost === null) return null;
    sum += cost;
  }
  return sum;
}
