import { type InlineFile, toInlineFile } from "../format/record/content-block.js";
import type { PersonsWords } from "../format/record/persons-words.js";
import { isFiller, type Message } from "../session/messages/message.js";
import type { KeptMessages, PreservedRecords } from "../session/replay/select-replay.js";
import type { FollowUp, Local, Preamble } from "../session/turns/build-turn.js";
import type { Compaction } from "../session/turns/compactions.js";
import type { Notice } from "../session/turns/notices.js";
import { mergeByTime } from "../session/turns/session-events.js";
import type { OrphanResult, ToolCall } from "../session/turns/tool-calls.js";

/** One item of a turn; all surfaces paint the same items. */
export type TurnItem = {
  readonly timestamp: string | null;
  readonly isKept: boolean;
  /** Line or uuid of the record that holds the item; null if unknown. */
  readonly record: number | string | null;
} & (
  | { readonly kind: "text"; readonly text: string; readonly isApiError: boolean }
  | { readonly kind: "thinking"; readonly text: string | null } // null: encrypted by the API
  | { readonly kind: "call"; readonly call: ToolCall }
  | { readonly kind: "words"; readonly words: PersonsWords } // of a person, about the call before
  | { readonly kind: "orphanResult"; readonly orphan: OrphanResult }
  | { readonly kind: "followUp"; readonly followUp: FollowUp }
  | { readonly kind: "local"; readonly local: Local }
  | { readonly kind: "notice"; readonly notice: Notice }
  | ({ readonly kind: "compaction"; readonly compaction: Compaction } & KeptMessages)
  | { readonly kind: "file"; readonly type: string; readonly file: InlineFile | null }
);

export type CompactionItem = Extract<TurnItem, { kind: "compaction" }>;

/** The content of a turn or of the preamble. */
export interface TurnContent extends Preamble {
  readonly followUps?: readonly FollowUp[];
}

/** The compactions among the shown records, and the records that any compaction of the branch preserved. */
export interface CompactionFacts {
  readonly compactions: readonly Compaction[];
  readonly kept: PreservedRecords;
}

/** Answers, calls, notices and compactions in the order of their time. */
export function viewTurnItems(content: TurnContent, { compactions, kept }: CompactionFacts): TurnItem[] {
  const placeOf = ({ line, at }: { readonly line: number; readonly at: string | null }) => ({
    timestamp: at,
    isKept: kept.lines.has(line),
    record: line,
  });
  const { messages, toolCalls, notices, orphanResults, followUps = [], locals } = content;
  return mergeByTime<TurnItem>(
    messageItems(messages, toolCalls, kept),
    notices.map((notice) => ({ kind: "notice", notice, ...placeOf(notice) })),
    orphanResults.map((orphan) => ({ kind: "orphanResult", orphan, ...placeOf(orphan) })),
    followUps.map((followUp) => ({ kind: "followUp", followUp, ...placeOf(followUp) })),
    locals.map((local) => ({ kind: "local", local, ...placeOf(local) })),
    compactions.map((compaction) => ({
      kind: "compaction",
      compaction,
      ...(kept.byCompaction.get(compaction.line) ?? { keptMessages: 0, keptTurns: null }),
      timestamp: compaction.at,
      isKept: false,
      record: compaction.line,
    })),
  );
}

/** The blocks of each message in the order in which the model wrote them, each call with its result. */
function messageItems(
  messages: readonly Message[],
  toolCalls: readonly ToolCall[],
  kept: PreservedRecords,
): TurnItem[] {
  const calls = new Map(toolCalls.map((call) => [call.id, call]));
  return messages
    .filter((message) => !isFiller(message))
    .flatMap((message) => {
      const items = message.blocks
        .flatMap((block, at) => blockItems(block, at, message, calls))
        .concat(cutItems(message));
      const isKept = message.recordUuids.some((uuid) => kept.uuids.has(uuid));
      return items.map((item, index) => ({ ...item, isKept: isKept && index === items.length - 1 }));
    });
}

function cutItems({ isCut, endedAt, recordUuids }: Message): TurnItem[] {
  if (!isCut) return [];
  const text = "The network cut this answer off; how many tokens it took is unknown.";
  const notice: Notice = { kind: "system", subtype: "cut_off", level: "warning", text, line: 0, at: endedAt };
  return [{ kind: "notice", notice, timestamp: endedAt, isKept: false, record: recordUuids.at(-1) ?? null }];
}

function blockItems(
  block: Message["blocks"][number],
  at: number,
  message: Message,
  calls: ReadonlyMap<string, ToolCall>,
): TurnItem[] {
  const { startedAt, isApiError } = message;
  const common = { timestamp: startedAt, isKept: false, record: recordOf(at, message) };
  switch (block.kind) {
    case "text":
      return block.text.trim() === "" ? [] : [{ ...common, kind: "text", text: block.text, isApiError }];
    case "thinking":
      return block.text.trim() === "" ? [] : [{ ...common, kind: "thinking", text: block.text }];
    case "redactedThinking":
      return [{ ...common, kind: "thinking", text: null }];
    case "toolCall": {
      const call = calls.get(block.id);
      return call ? callItems(call, { ...common, record: call.callUuid ?? common.record }) : [];
    }
    case "toolResult":
      return [];
    case "image":
    case "document":
      return [{ ...common, kind: "file", type: block.kind, file: toInlineFile(block.raw) ?? null }];
    case "other":
      return [{ ...common, kind: "file", type: block.type ?? "unknown block", file: null }];
  }
}

function callItems(call: ToolCall, common: Pick<TurnItem, "timestamp" | "isKept" | "record">): TurnItem[] {
  const place = { ...common, record: call.resultUuids.at(-1) ?? common.record };
  return [
    { ...common, kind: "call", call },
    ...call.personsWords.map((words): TurnItem => ({ ...place, kind: "words", words })),
  ];
}

/** Claude Code writes one record per block. For messages written otherwise the first record stands for all blocks. */
function recordOf(at: number, { blocks, recordUuids }: Message): string | null {
  return recordUuids[recordUuids.length === blocks.length ? at : 0] ?? null;
}
