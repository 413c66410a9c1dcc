import type { ContentBlock } from "../format/content-block.js";
import type { AssistantRecord, LogRecord } from "../format/record.js";
import { listAt } from "./list-at.js";
import { isOutputKnown, type MessageSketch, messageKey, sketchMessage, usageOf } from "./session-message.js";
import type { Usage } from "./usage.js";

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
  /** Who wrote it: the model, the client in its place, or a framework that injected it. */
  readonly author: "model" | "client" | "injected";
  readonly isApiError: boolean;
  readonly isAborted: boolean;
  readonly speed: string | null;
}

/** Records of one message need not be neighbours: tools run, and their results are written, while it still streams. */
export function assembleMessages(records: Iterable<LogRecord>): Message[] {
  const groups = new Map<string, AssistantRecord[]>();
  for (const record of records) {
    if (record.kind === "assistant") listAt(groups, messageKey(record)).push(record);
  }
  return [...groups.values()].map((records) => assemble(withoutCopies(records)));
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

function assemble(records: readonly AssistantRecord[]): Message {
  const sketch = records.reduce<MessageSketch | undefined>((known, record) => sketchMessage(record, known), undefined);
  const times = records.flatMap(({ timestamp }) => timestamp ?? []);
  return {
    id: sketch?.id ?? null,
    recordUuids: records.flatMap(({ uuid }) => uuid ?? []),
    model: sketch?.model ?? null,
    stopReason: sketch?.stopReason ?? null,
    usage: usageOf(sketch ?? EMPTY),
    outputKnown: isOutputKnown(sketch ?? EMPTY),
    blocks: joinBlocks(records),
    startedAt: times[0] ?? null,
    endedAt: times.at(-1) ?? null,
    author: sketch?.isSynthetic ? "client" : sketch?.isInjected ? "injected" : "model",
    isApiError: records.some(({ isApiError }) => isApiError),
    isAborted: records.some(({ isAborted }) => isAborted),
    speed: sketch?.speed ?? null,
  };
}

const EMPTY: MessageSketch = {
  key: "",
  id: null,
  model: undefined,
  stopReason: undefined,
  counters: undefined,
  speed: undefined,
  isSynthetic: false,
  isInjected: false,
  time: undefined,
  gitBranch: undefined,
  isCopied: false,
};

function joinBlocks(records: readonly AssistantRecord[]): ContentBlock[] {
  const isNumbered = records.every(({ apiBlockIndex }) => apiBlockIndex !== undefined);
  return withoutRepeatedCalls(isNumbered ? joinByIndex(records) : joinStates(records));
}

function joinByIndex(records: readonly AssistantRecord[]): ContentBlock[] {
  const sameIndex = new Map<number, AssistantRecord[]>();
  for (const record of records) listAt(sameIndex, record.apiBlockIndex ?? 0).push(record);
  return [...sameIndex].sort(([a], [b]) => a - b).flatMap(([, states]) => joinStates(states));
}

/** Old writers repeat all blocks so far on every record; then the later, longer state stands for both. */
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

/** Written by the client where a history ended with a user record; nobody asked for it and nobody said it. */
export function isFiller({ author, isApiError, blocks }: Message): boolean {
  const [only, ...others] = blocks;
  return author === "client" && !isApiError && others.length === 0 && only?.kind === "text" && only.text === FILLER;
}
