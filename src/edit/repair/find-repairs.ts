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

const UNASKED = "results without a call";

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

/** What the records of a session show together: which calls and results there are, and how messages end. */
export interface Survey {
  /** Calls that Claude Code runs, by id; `times`: how often the id was used. */
  readonly calls: ReadonlyMap<
    string,
    { readonly record: SourceRecord; readonly isAborted: boolean; readonly times: number }
  >;
  readonly allCalls: ReadonlySet<string>;
  readonly results: ReadonlyMap<string, readonly { readonly record: SourceRecord; readonly isError: boolean }[]>;
  readonly messages: ReadonlyMap<string, MessageSurvey>;
  readonly unsigned: ReadonlySet<SourceRecord>;
}

interface MessageSurvey {
  /** The record and the place in it of the last block that is no thinking. */
  readonly lastWord: { readonly record: SourceRecord; readonly place: number } | undefined;
  readonly hasCall: boolean;
}

export function surveySession(source: EditSource, without: ReadonlySet<SourceRecord>): Survey {
  const survey = {
    calls: new Map<string, { record: SourceRecord; isAborted: boolean; times: number }>(),
    allCalls: new Set<string>(),
    results: new Map<string, { record: SourceRecord; isError: boolean }[]>(),
    messages: new Map<string, MessageSurvey>(),
    unsigned: new Set<SourceRecord>(),
  };
  for (const [record, known] of readFullRecords(source)) {
    if (without.has(known)) continue;
    if (record.kind === "assistant") addAnswer(record, known);
    if (record.kind === "user") addInput(record, known);
  }
  return survey;

  function addAnswer(record: AssistantRecord, known: SourceRecord): void {
    const calls = record.blocks.filter((block) => block.kind === "toolCall");
    for (const { id, isServerSide } of calls) {
      survey.allCalls.add(id);
      const { times = 0 } = survey.calls.get(id) ?? {};
      if (!isServerSide) survey.calls.set(id, { record: known, isAborted: record.isAborted, times: times + 1 });
    }
    if (record.blocks.some((block) => block.kind === "thinking" && !block.signature)) survey.unsigned.add(known);
    if (isSynthetic(record)) return;
    const before = survey.messages.get(messageKey(record));
    const place = record.blocks.findLastIndex((block) => !isThinking(block));
    const lastWord = place < 0 ? before?.lastWord : { record: known, place };
    survey.messages.set(messageKey(record), { lastWord, hasCall: (before?.hasCall ?? false) || calls.length > 0 });
  }

  function addInput({ blocks }: UserRecord, known: SourceRecord): void {
    for (const block of blocks) {
      if (block.kind !== "toolResult") continue;
      const results = survey.results.get(block.toolUseId) ?? [];
      survey.results.set(block.toolUseId, [...results, { record: known, isError: block.isError }]);
    }
  }
}
