import { valueAt } from "../../format/json.js";
import type { ContentBlock } from "../../format/record/content-block.js";
import { wrongTypes } from "../../format/record/field-types.js";
import type { AssistantRecord, LogRecord, UserRecord } from "../../format/record/record.js";
import { isSendableBlock, type RecordRepair } from "../../format/writer/repair-record.js";
import type { Node } from "../../session/graph/node.js";
import { isSynthetic, messageKey } from "../../session/messages/message.js";
import { shownResult } from "../../session/turns/tool-calls.js";
import { chainNodes } from "../plans/chain-nodes.js";
import { type EditSource, readFullRecords } from "../plans/edit-source.js";
import {
  continuedFrom,
  isInConversation,
  isThinking,
  type RecordLinks,
  type SourceRecord,
} from "../plans/source-record.js";
import type { Survey } from "./survey-session.js";

export interface SessionRepairs {
  readonly removed: Map<SourceRecord, string>;
  readonly mendings: ReadonlyMap<SourceRecord, RecordRepair>;
}

/** What goes and what is put right, record by record. */
export function findRepairs(
  source: EditSource,
  branch: readonly Node[], // with a uuid each
  survey: Survey,
  nameOf: (record: RecordLinks) => string, // a uuid for a record that has none
  staleLine: number | undefined, // of the message whose token counts are too high
): SessionRepairs {
  const context = toContext(source, branch, survey, staleLine);
  const removed = new Map<SourceRecord, string>();
  const mendings = new Map<SourceRecord, RecordRepair>();
  const clock = createClock(source, branch);
  const uuids = new Map(branch.map((node) => [source.recordOf(node), node.uuid]));
  for (const [record, known] of readFullRecords(source)) {
    const reason = reasonToRemove(record, source);
    if (reason !== undefined) removed.set(known, reason);
    const uuid = known.uuid === undefined ? uuids.get(known) : undefined;
    if (record.kind !== "user" && record.kind !== "assistant") {
      const isNameless = known.uuid === undefined && isInConversation(known);
      if (isNameless) mendings.set(known, { uuid: uuid ?? nameOf(known), isRoot: uuid === undefined });
      continue;
    }
    const judgement = checkRecord(record, known, context);
    if (judgement.kind === "remove") removed.set(known, judgement.reason);
    const isLoose = known.uuid === undefined && uuid === undefined;
    const timestamp = clock.correct(record, known);
    const mending = {
      ...(judgement.kind === "mend" ? judgement.mending : {}),
      ...(record.raw["type"] === record.kind ? {} : { type: record.kind }),
      ...(uuid === undefined ? {} : { uuid }),
      ...(isLoose ? { uuid: nameOf(known), isRoot: true } : {}),
      ...(timestamp === undefined ? {} : { timestamp }),
    };
    if (judgement.kind === "mend" || Object.keys(mending).length > 0) mendings.set(known, mending);
  }
  return { removed, mendings };
}

function toContext(
  source: EditSource,
  branch: readonly Node[],
  survey: Survey,
  stale: number | undefined,
): RepairContext {
  const onBranch = new Set(branch.map((node) => source.recordOf(node)));
  const lastTurn = new Set(source.outline.turns.at(-1)?.nodes.map((node) => source.recordOf(node)));
  const isIncomplete = [...survey.unsigned].some((record) => lastTurn.has(record));
  return {
    survey,
    isOnBranch: (record) => onBranch.has(record),
    called: new Set(branch.flatMap((node) => node.calls?.map(({ id }) => id) ?? [])),
    losesThinking: (record) => isIncomplete && lastTurn.has(record),
    staleMessage: stale === undefined ? undefined : branch.find(({ line }) => line === stale)?.message,
  };
}

const NO_LEAF = /^[0-]*$/;

function reasonToRemove(record: LogRecord, { outline }: EditSource): string | undefined {
  if (record.kind === "broken") return "lines that cannot be read";
  if (record.kind !== "side" || record.fact.kind !== "lastPrompt") return undefined;
  const { leafUuid } = record.fact;
  const isLost = leafUuid != null && !NO_LEAF.test(leafUuid) && !outline.uuids.has(leafUuid);
  return isLost ? "hints at an end that is not there" : undefined;
}

interface Clock {
  /** The time that a record should have, where its own is missing or that of what it answers. */
  correct(record: UserRecord | AssistantRecord, known: SourceRecord): string | undefined;
}

function createClock({ records, outline, recordOf }: EditSource, branch: readonly Node[]): Clock {
  const times = new Map(records.map(({ uuid, time }) => [uuid, time]));
  const { parents } = chainNodes(branch);
  const named = new Map(branch.map((node) => [recordOf(node), node.uuid]));
  let last = records.find(({ time }) => time !== undefined)?.time ?? 0;
  return {
    correct(record, known) {
      const uuid = named.get(known) ?? known.uuid;
      const { time } = known;
      const parent = parents.get(uuid ?? "") ?? outline.mendedParents.get(uuid ?? "") ?? continuedFrom(known);
      const isEqual = record.kind === "assistant" && time !== undefined && times.get(parent ?? "") === time;
      const corrected = time === undefined || isEqual ? (time ?? last) + 1 : undefined;
      last = corrected ?? time ?? last;
      return corrected === undefined ? undefined : new Date(corrected).toISOString();
    },
  };
}

interface RepairContext {
  readonly survey: Survey;
  readonly isOnBranch: (record: SourceRecord) => boolean;
  /** The calls that the branch makes. */
  readonly called: ReadonlySet<string>;
  /** All its thinking goes, as that of its turn is not complete. */
  readonly losesThinking: (record: SourceRecord) => boolean;
  /** The message whose counts of tokens are far too high. */
  readonly staleMessage: string | undefined;
}

export type RecordVerdict =
  | { readonly kind: "remove"; readonly reason: string }
  | { readonly kind: "mend"; readonly mending: RecordRepair }
  | { readonly kind: "sound" };

/** What has to become of one message's record, by its content alone; ids and times are settled elsewhere. */
function checkRecord(record: UserRecord | AssistantRecord, known: SourceRecord, context: RepairContext): RecordVerdict {
  if (record.isAbridged) return { kind: "sound" };
  const reasons = record.blocks.map((block, place) => reasonToDrop(block, place, record, known, context));
  const without = new Set(reasons.flatMap((reason, place) => (reason === undefined ? [] : [place])));
  if (without.size === record.blocks.length) {
    return { kind: "remove", reason: reasons.find((reason) => reason !== undefined) ?? "messages without content" };
  }
  const mending = { ...(without.size > 0 ? { without } : {}), ...answerMending(record, context) };
  const isOdd =
    wrongTypes(record.raw).length > 0 ||
    record.blocks.some(({ raw }) => !isSendableBlock(raw)) ||
    isStringAnswer(record);
  return isOdd || Object.keys(mending).length > 0 ? { kind: "mend", mending } : { kind: "sound" };
}

const UNASKED = "results that nobody asked for";

function reasonToDrop(
  block: ContentBlock,
  place: number,
  record: UserRecord | AssistantRecord,
  known: SourceRecord,
  context: RepairContext,
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

function dropResult(
  id: string,
  known: SourceRecord,
  { survey, isOnBranch, called }: RepairContext,
): string | undefined {
  if (!survey.allCalls.has(id) || (isOnBranch(known) && !called.has(id))) return UNASKED;
  if ((survey.calls.get(id)?.times ?? 0) > 1) return undefined; // an id that was used again does not identify a call
  return shownResult(survey.results.get(id) ?? [])?.record === known ? undefined : "further results of a call";
}

/** Unsigned, or with nothing of its message after it; in the last turn all of it goes or nothing. */
function dropThinking(
  block: ContentBlock,
  place: number,
  record: AssistantRecord,
  known: SourceRecord,
  { survey, losesThinking }: RepairContext,
): boolean {
  if (block.kind === "thinking" && !block.signature) return true;
  if (losesThinking(known)) return true;
  if (isSynthetic(record)) return false;
  const last = survey.messages.get(messageKey(record))?.lastWord;
  if (!last) return true;
  return last.record === known ? place > last.place : last.record.offset < known.offset;
}

function answerMending(record: UserRecord | AssistantRecord, { survey, staleMessage }: RepairContext): RecordRepair {
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
