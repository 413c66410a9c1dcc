import type { AssistantRecord } from "../format/record.js";
import type { UsageCounters } from "../format/usage-counters.js";
import { emptyUsage, maxCounters, toUsage, type Usage } from "./usage.js";

/** What the skeleton keeps of one API message: the sum of its records, whatever their order and number. */
export interface MessageSketch {
  readonly key: string;
  readonly id: string | null;
  readonly model: string | undefined;
  readonly stopReason: string | undefined; // the last one recorded
  readonly counters: UsageCounters | undefined;
  readonly speed: string | undefined;
  readonly isSynthetic: boolean;
  readonly isInjected: boolean;
  readonly time: number | undefined; // of its first record, ms since the epoch
  readonly gitBranch: string | undefined;
  readonly isCopied: boolean; // a fork brought it along
}

/** Messages that the client wrote in the model's place: API errors, fillers. They cost nothing. */
export const SYNTHETIC_MODEL = "<synthetic>";
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
    counters: joinCounters(known?.counters, record.usage),
    speed: record.speed ?? known?.speed,
    isSynthetic: isSynthetic(record) || (known?.isSynthetic ?? false),
    isInjected: record.isMeta || (known?.isInjected ?? false),
    time: known?.time ?? timeOf(record),
    gitBranch: known?.gitBranch ?? record.gitBranch,
    isCopied: record.forkedFrom !== undefined,
  };
}

function timeOf({ timestamp }: AssistantRecord): number | undefined {
  const time = Date.parse(timestamp ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function joinCounters(a: UsageCounters | undefined, b: UsageCounters | undefined): UsageCounters | undefined {
  return a && b ? maxCounters(a, b) : (a ?? b);
}

/** Whether a message came from the model and counts: not written by the client, not injected. */
export function isCountedMessage({ isSynthetic: synthetic, isInjected }: MessageSketch): boolean {
  return !synthetic && !isInjected;
}

export function usageOf(message: MessageSketch): Usage {
  return message.counters && isCountedMessage(message) ? toUsage(message.counters) : emptyUsage();
}

/** False where the file holds only the placeholder with which streaming begins. */
export function isOutputKnown({ stopReason, counters, isSynthetic: synthetic }: MessageSketch): boolean {
  return synthetic || isOutputRecorded(stopReason !== undefined, counters?.output ?? 0);
}

/** Without a stop reason only the figure's size tells an answer from a placeholder. */
export function isOutputRecorded(hasStopReason: boolean, output: number): boolean {
  return hasStopReason || output > PLACEHOLDER_OUTPUT;
}
