import type { ContentBlock } from "../../format/content-block.js";
import { wrongTypes } from "../../format/field-types.js";
import { valueAt } from "../../format/json.js";
import { isSoundBlock, type Mending } from "../../format/mend-record.js";
import type { AssistantRecord, UserRecord } from "../../format/record.js";
import { shownResult } from "../../session/call-sketch.js";
import { isSynthetic, messageKey } from "../../session/session-message.js";
import { isThinking, type SourceRecord } from "../edit-source.js";
import type { Survey } from "./survey-session.js";

export interface JudgeContext {
  readonly survey: Survey;
  readonly isOnBranch: (record: SourceRecord) => boolean;
  /** The calls that the branch makes. */
  readonly called: ReadonlySet<string>;
  /** All its thinking goes, as that of its turn is not complete. */
  readonly losesThinking: (record: SourceRecord) => boolean;
  /** The message whose counts of tokens are far too high. */
  readonly staleMessage: string | undefined;
}

export type Judgement =
  | { readonly kind: "remove"; readonly reason: string }
  | { readonly kind: "mend"; readonly mending: Mending }
  | { readonly kind: "sound" };

/** What has to become of one message's record, by its content alone; ids and times are settled elsewhere. */
export function judgeRecord(
  record: UserRecord | AssistantRecord,
  known: SourceRecord,
  context: JudgeContext,
): Judgement {
  if (record.isAbridged) return { kind: "sound" };
  const reasons = record.blocks.map((block, place) => reasonToDrop(block, place, record, known, context));
  const without = new Set(reasons.flatMap((reason, place) => (reason === undefined ? [] : [place])));
  if (without.size === record.blocks.length) {
    return { kind: "remove", reason: reasons.find((reason) => reason !== undefined) ?? "messages without content" };
  }
  const mending = { ...(without.size > 0 ? { without } : {}), ...answerMending(record, context) };
  const isOdd =
    wrongTypes(record.raw).length > 0 || record.blocks.some(({ raw }) => !isSoundBlock(raw)) || isStringAnswer(record);
  return isOdd || Object.keys(mending).length > 0 ? { kind: "mend", mending } : { kind: "sound" };
}

const UNASKED = "results that nobody asked for";

function reasonToDrop(
  block: ContentBlock,
  place: number,
  record: UserRecord | AssistantRecord,
  known: SourceRecord,
  context: JudgeContext,
): string | undefined {
  if (record.kind === "user")
    return block.kind === "toolResult" ? dropResult(block.toolUseId, known, context) : undefined;
  if (block.kind === "text" && block.text.trim() === "") return "empty texts";
  if (isThinking(block))
    return dropThinking(block, place, record, known, context) ? "thinking that the API refuses" : undefined;
  if (block.kind === "toolResult" && !context.survey.allCalls.has(block.toolUseId)) return UNASKED;
  if (block.kind !== "toolCall" || block.isServerSide) return undefined;
  const { isAborted = false } = context.survey.calls.get(block.id) ?? {};
  return isAborted && !context.survey.results.has(block.id) ? "calls that were cut off" : undefined;
}

function dropResult(id: string, known: SourceRecord, { survey, isOnBranch, called }: JudgeContext): string | undefined {
  if (!survey.allCalls.has(id) || (isOnBranch(known) && !called.has(id))) return UNASKED;
  if ((survey.calls.get(id)?.times ?? 0) > 1) return undefined; // ids that are used again tell nothing
  return shownResult(survey.results.get(id) ?? [])?.record === known ? undefined : "further results of a call";
}

/** Unsigned, or with nothing of its message after it; in the last turn all of it goes or nothing. */
function dropThinking(
  block: ContentBlock,
  place: number,
  record: AssistantRecord,
  known: SourceRecord,
  { survey, losesThinking }: JudgeContext,
): boolean {
  if (block.kind === "thinking" && !block.signature) return true;
  if (losesThinking(known)) return true;
  if (isSynthetic(record)) return false;
  const last = survey.messages.get(messageKey(record))?.lastWord;
  if (!last) return true;
  return last.record === known ? place > last.place : last.record.offset < known.offset;
}

function answerMending(record: UserRecord | AssistantRecord, { survey, staleMessage }: JudgeContext): Mending {
  if (record.kind === "user") return {};
  const key = messageKey(record);
  const isStopped = record.stopReason === "tool_use" && !isSynthetic(record) && !survey.messages.get(key)?.hasCall;
  return {
    ...(record.messageId === undefined ? { messageId: `msg_${key}` } : {}),
    ...(isStopped ? { isEnd: true } : {}),
    ...(key === staleMessage ? { isCountReset: true } : {}),
  };
}

function isStringAnswer({ kind, raw }: UserRecord | AssistantRecord): boolean {
  return kind === "assistant" && typeof (valueAt(raw, "message", "content") ?? valueAt(raw, "content")) === "string";
}
