import { listAt } from "../../collections.js";
import type { CountedFields } from "../../format/reader/message-line.js";
import type { ContentBlock } from "../../format/record/content-block.js";
import type { AssistantRecord, LogRecord } from "../../format/record/record.js";
import type { UsageCounters } from "../../format/record/usage-counters.js";
import { emptyUsage, maxCounters, toUsage, type Usage } from "./usage.js";

/** Records with the same key are one message: by message id, else by request, else each for itself. */
export function messageKey(record: CountedFields): string {
  const chain = record.isSidechain ? `${record.agentId ?? "side"}/` : "";
  return chain + (record.messageId ?? record.requestId ?? record.uuid ?? `${record.fingerprint}`);
}

/** An API message without its blocks: its records combined, in any order and number. */
export interface MessageOutline {
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
  /** From another session, or from the conversation that a forked sub-agent began with. */
  readonly isCopied: boolean;
  /** Of the conversation that a forked sub-agent began with: it counts where it was made. */
  readonly isInherited: boolean;
  readonly hasStopDetails: boolean;
  /** The network cut it in mid-stream: its stop reason is invented, and its output tokens are those of its beginning. */
  readonly isCut: boolean;
}

/** Messages that Claude Code wrote in place of the model: API errors, fillers. They cost nothing. */
const SYNTHETIC_MODEL = "<synthetic>";
/** Streaming starts with a placeholder of a few tokens that some versions never replace. */
const PLACEHOLDER_OUTPUT = 8;

export function isSynthetic(record: Pick<AssistantRecord, "model">): boolean {
  return record.model === SYNTHETIC_MODEL;
}

export function outlineMessage(record: CountedFields, known: MessageOutline | undefined): MessageOutline {
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
    isCopied: isCopy(record),
    isInherited: false,
    hasStopDetails: record.hasStopDetails || (known?.hasStopDetails ?? false),
    isCut: known?.isCut ?? false,
  };
}

/** The message before the note that asks the model to go on; a complete one has stop details (2.1.326). */
export function markCut(message: MessageOutline): MessageOutline {
  return message.hasStopDetails ? message : { ...message, isCut: true };
}

/** `/background` and `--fork-session` mark copies by the session that made the request only (2.1.326). */
function isCopy({ forkedFrom, requestSessionId, sessionId }: CountedFields): boolean {
  return forkedFrom !== undefined || (requestSessionId !== undefined && requestSessionId !== sessionId);
}

/**
 * Each API message once. Only the chain tells records of a session and of a sub-agent apart, but what they spent is that of
 * one request when they share its id.
 */
export function countOnce(messages: Iterable<MessageOutline>): MessageOutline[] {
  const byId = new Map<string, MessageOutline>();
  for (const message of messages) {
    const id = message.id ?? message.key;
    const known = byId.get(id);
    byId.set(id, known ? joinOutlines(known, message) : message);
  }
  return [...byId.values()];
}

function joinOutlines(known: MessageOutline, other: MessageOutline): MessageOutline {
  return {
    ...known,
    model: known.model ?? other.model,
    stopReason: known.stopReason ?? other.stopReason,
    counters: joinCounters(known.counters, other.counters),
    speed: known.speed ?? other.speed,
    time: known.time ?? other.time,
    gitBranch: known.gitBranch ?? other.gitBranch,
    isCopied: known.isCopied && other.isCopied,
    isInherited: known.isInherited && other.isInherited,
  };
}

function timeOf({ timestamp }: CountedFields): number | undefined {
  const time = Date.parse(timestamp ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function joinCounters(a: UsageCounters | undefined, b: UsageCounters | undefined): UsageCounters | undefined {
  return a && b ? maxCounters(a, b) : (a ?? b);
}

/** Whether the model wrote it: neither Claude Code nor a framework did. */
export function isCountedMessage({ isSynthetic: synthetic, isInjected }: MessageOutline): boolean {
  return !synthetic && !isInjected;
}

export function listModels(messages: ReadonlyMap<string, MessageOutline>): string[] {
  const models = [...messages.values()].flatMap((message) =>
    isCountedMessage(message) && message.model ? [message.model] : [],
  );
  return [...new Set(models)];
}

export function usageOf(message: MessageOutline): Usage {
  return message.counters && isCountedMessage(message) ? toUsage(message.counters) : emptyUsage();
}

/** False where the file holds only the placeholder with which streaming begins. */
export function isOutputKnown({ stopReason, counters, isSynthetic: synthetic, isCut }: MessageOutline): boolean {
  return synthetic || (!isCut && isOutputRecorded(stopReason !== undefined, counters?.output ?? 0));
}

/** Without a stop reason only the number of tokens distinguishes an answer from a placeholder. */
function isOutputRecorded(hasStopReason: boolean, output: number): boolean {
  return hasStopReason || output > PLACEHOLDER_OUTPUT;
}

/** One API message, assembled from the records that share its id. */
export interface Message {
  readonly id: string | null;
  readonly recordUuids: readonly string[];
  readonly model: string | null;
  readonly stopReason: string | null;
  readonly usage: Usage;
  /** False where the file holds only a placeholder for the output tokens. */
  readonly outputKnown: boolean;
  readonly blocks: readonly ContentBlock[];
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** `client`: Claude Code wrote it in place of the model. `injected`: a framework did. */
  readonly author: "model" | "client" | "injected";
  readonly isApiError: boolean;
  readonly isAborted: boolean;
  /** The network cut it in mid-stream, and the model was asked to go on. */
  readonly isCut: boolean;
  readonly speed: string | null;
}

/** The identity of an assembled message: its id, else its first record. */
export function identityOf({ id, recordUuids, startedAt, blocks }: Message): string {
  return id ?? recordUuids[0] ?? `${startedAt} ${JSON.stringify(blocks)}`;
}

/** Records of one message need not be adjacent: tools run, and their results are written, while it still streams. */
export function assembleMessages(records: Iterable<LogRecord>): Message[] {
  const groups = new Map<string, AssistantRecord[]>();
  const beforeCutNotes = new Set<string | null | undefined>();
  for (const record of records) {
    if (record.kind === "assistant") listAt(groups, messageKey(record)).push(record);
    if (record.kind === "user" && record.followsCut) beforeCutNotes.add(record.parentUuid);
  }
  return [...groups.values()].flatMap((group) => {
    const own = withoutCopies(group);
    const outline = own.reduce<MessageOutline | undefined>((known, record) => outlineMessage(record, known), undefined);
    if (!outline) return [];
    const isBeforeNote = own.some(({ uuid }) => uuid !== undefined && beforeCutNotes.has(uuid));
    return toMessage(isBeforeNote ? markCut(outline) : outline, own);
  });
}

/** The blocks of one message, of which all records are given. */
export function assembleBlocks(records: readonly AssistantRecord[]): ContentBlock[] {
  return joinBlocks(withoutCopies(records));
}

/** A copy has the same uuid, or was written again with another one: the same blocks at the same time. */
function withoutCopies(records: readonly AssistantRecord[]): readonly AssistantRecord[] {
  if (records.length === 1) return records;
  const isShared = sharedTimes(records);
  const seen = new Set<string>();
  return records.filter(({ uuid, timestamp, blocks }) => {
    const names = [
      ...(uuid === undefined ? [] : [`uuid ${uuid}`]),
      ...(isShared(timestamp) ? [`time ${timestamp} ${JSON.stringify(blocks)}`] : []),
    ];
    if (names.some((name) => seen.has(name))) return false;
    for (const name of names) seen.add(name);
    return true;
  });
}

/** Only blocks of the same moment are compared, which costs as much as reading them. */
function sharedTimes(records: readonly AssistantRecord[]): (timestamp: string | undefined) => boolean {
  const counts = new Map<string, number>();
  for (const { timestamp = "" } of records) counts.set(timestamp, (counts.get(timestamp) ?? 0) + 1);
  return (timestamp) => timestamp !== undefined && (counts.get(timestamp) ?? 0) > 1;
}

function toMessage(outline: MessageOutline, records: readonly AssistantRecord[]): Message {
  const times = records.flatMap(({ timestamp }) => timestamp ?? []);
  return {
    id: outline.id,
    recordUuids: records.flatMap(({ uuid }) => uuid ?? []),
    model: outline.model ?? null,
    stopReason: outline.stopReason ?? null,
    usage: usageOf(outline),
    outputKnown: isOutputKnown(outline),
    blocks: joinBlocks(records),
    startedAt: times[0] ?? null,
    endedAt: times.at(-1) ?? null,
    author: outline.isSynthetic ? "client" : outline.isInjected ? "injected" : "model",
    isApiError: records.some(({ isApiError }) => isApiError),
    isAborted: records.some(({ isAborted }) => isAborted),
    isCut: outline.isCut,
    speed: outline.speed ?? null,
  };
}

function joinBlocks(records: readonly AssistantRecord[]): ContentBlock[] {
  const isNumbered = records.every(({ apiBlockIndex }) => apiBlockIndex !== undefined);
  return withoutRepeatedCalls(isNumbered ? joinByIndex(records) : joinStates(records));
}

function joinByIndex(records: readonly AssistantRecord[]): ContentBlock[] {
  const sameIndex = new Map<number, AssistantRecord[]>();
  for (const record of records) listAt(sameIndex, record.apiBlockIndex ?? 0).push(record);
  return [...sameIndex].sort(([a], [b]) => a - b).flatMap(([, states]) => joinStates(states));
}

/** Old versions repeat all blocks so far on every record; the later, longer state replaces the earlier one. */
function joinStates(records: readonly AssistantRecord[]): ContentBlock[] {
  const known: ContentBlock[] = [];
  for (const { blocks: next } of records) {
    if (isGrown(known, next)) known.length = 0;
    else if (isRepeated(known, next)) continue;
    for (const block of next) known.push(block);
  }
  return known;
}

function isGrown(known: readonly ContentBlock[], next: readonly ContentBlock[]): boolean {
  return known.length > 0 && next.length >= known.length && known.every((block, at) => grewInto(block, next[at]));
}

function grewInto(a: ContentBlock, b: ContentBlock | undefined): boolean {
  if (a.kind === "toolCall") return b?.kind === "toolCall" && a.id === b.id;
  const before = textOf(a);
  return before !== undefined && before !== "" && a.kind === b?.kind && (textOf(b)?.startsWith(before) ?? false);
}

function isRepeated(known: readonly ContentBlock[], next: readonly ContentBlock[]): boolean {
  const last = known.at(-1);
  return last !== undefined && next.length === 1 && isSameBlock(last, next[0]);
}

function isSameBlock(a: ContentBlock, b: ContentBlock | undefined): boolean {
  if (a.kind !== b?.kind) return false;
  return textOf(a) === undefined ? JSON.stringify(a) === JSON.stringify(b) : textOf(a) === textOf(b);
}

function textOf(block: ContentBlock): string | undefined {
  return block.kind === "text" || block.kind === "thinking" ? block.text : undefined;
}

function withoutRepeatedCalls(blocks: readonly ContentBlock[]): ContentBlock[] {
  const seen = new Set<string>();
  return blocks.filter((block) => {
    if (block.kind !== "toolCall") return true;
    const isNew = !seen.has(block.id);
    seen.add(block.id);
    return isNew;
  });
}

const FILLER = "No response requested.";

/** Claude Code writes it after a history that ends with a user record. */
export function isFiller({ author, isApiError, blocks }: Message): boolean {
  return author === "client" && !isApiError && isFillerText(blocks);
}

/** Claude Code sends it, unlike what else it writes in place of the model (2.1.326). */
export function isFillerRecord(record: AssistantRecord): boolean {
  return isSynthetic(record) && !record.isApiError && isFillerText(record.blocks);
}

function isFillerText([only, ...others]: readonly ContentBlock[]): boolean {
  return others.length === 0 && only?.kind === "text" && only.text === FILLER;
}
