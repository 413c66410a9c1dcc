import { listMembers, listStrings } from "../../format/reader/json-members.js";
import { isStringAt, readString } from "../../format/reader/json-scanner.js";
import type { Line } from "../../format/reader/parse-line.js";
import { isSentAgain } from "../../format/record/attachment-content.js";
import type { ContentBlock } from "../../format/record/content-block.js";
import type { LogRecord, Place } from "../../format/record/record.js";
import {
  type ContextSize,
  contextSize,
  NO_CONTEXT,
  type PromptSize,
  promptSize,
} from "../../format/writer/context-size.js";
import type { Node } from "../../session/graph/node.js";

/** The part of a node that every record has, also outside of the conversation: where it is and what it hangs on. */
export type RecordLinks = Pick<Node, "line" | "offset" | "length" | "kind" | "uuid" | "parentUuid" | "time">;

/** A record of the file as an edit knows it, without its body. */
export interface SourceRecord extends RecordLinks {
  readonly logicalParentUuid: string | undefined;
  /** Of a sub-agent inside the session; in a sub-agent's own file no record is. */
  readonly isSidechain: boolean;
  readonly type: string | undefined;
  /** The ids to which a record outside of the conversation refers. */
  readonly refs: readonly string[];
  readonly contextBytes: number;
  readonly hasMedia: boolean;
  readonly hasThinking: boolean;
  /** The type of an attachment. */
  readonly attachment: string | undefined;
  /** Claude Code sends it again where it is missing, so that removing it saves nothing. */
  readonly isSentAgain: boolean;
  /** Of a `prompt_snapshot`. */
  readonly prompt: PromptSize | undefined;
}

/** One literal for all: objects of one shape take less time and memory, and a long session has hundreds of thousands. */
export function toSourceRecord(record: LogRecord, line: Line): SourceRecord {
  const { offset, length, kind, type } = record;
  const known = record.kind === "broken" ? undefined : record;
  const isSide = !known || !isInConversation(known);
  const time = Date.parse(known?.timestamp ?? "");
  const size = isSide ? NO_CONTEXT : line.isAbridged ? abridgedSize(length) : contextSize(bytesOf(record, line));
  return {
    line: record.line,
    offset,
    length,
    kind,
    type,
    uuid: known?.uuid,
    parentUuid: known?.parentUuid,
    logicalParentUuid: record.kind === "system" ? record.logicalParentUuid : undefined,
    time: Number.isNaN(time) ? undefined : time,
    refs: known && isSide && !isRequestLog(type) ? listRefs(bytesOf(record, line)) : NO_REFS,
    contextBytes: size.bytes,
    hasMedia: size.hasMedia,
    isSidechain: known?.isSidechain ?? false,
    hasThinking: record.kind === "assistant" && record.blocks.some(isThinking),
    attachment: record.kind === "attachment" ? record.attachmentType : undefined,
    isSentAgain: record.kind === "attachment" && isSentAgain(record.attachmentType),
    prompt: isPromptSnapshot(record) ? promptSize(bytesOf(record, line)) : undefined,
  };
}

function isPromptSnapshot(record: LogRecord): boolean {
  return record.kind === "attachment" && record.attachmentType === "prompt_snapshot";
}

function abridgedSize(bytes: number): ContextSize {
  return { bytes, hasMedia: false };
}

const NO_REFS: readonly string[] = [];

/** Where a record continues: a compaction's boundary has no parent, but names the record before it. */
export function continuedFrom({ logicalParentUuid, parentUuid }: SourceRecord): string | null | undefined {
  return logicalParentUuid ?? parentUuid;
}

/** A record without uuid is part of the conversation by its kind. */
export function isInConversation({ kind, uuid }: Pick<RecordLinks, "kind" | "uuid">): boolean {
  return kind !== "side" && kind !== "broken" && (kind !== "other" || uuid !== undefined);
}

/** Logs of requests hold the text of all records before them. */
export function isRequestLog(type: string | undefined): boolean {
  return type?.startsWith("api-request") ?? false;
}

/** Signed as a whole, so that it cannot be changed. */
export function isThinking({ kind }: ContentBlock): boolean {
  return kind === "thinking" || kind === "redactedThinking";
}

function bytesOf({ offset, length }: Place, { bytes, start, end, offset: lineOffset }: Line): Buffer {
  const from = start + offset - lineOffset;
  return bytes.subarray(from, Math.min(end, from + length));
}

/** Snapshots name messages, last prompts and summaries the end of a conversation. */
function listRefs(bytes: Buffer): readonly string[] {
  const refs = listMembers(bytes)
    .filter(({ key, start }) => key !== "sessionId" && (isStringAt(bytes, start) ? isRef(key) : key === "snapshot"))
    .flatMap((member) => [...listStrings(bytes, member)].filter(({ key }) => isRef(key)))
    .flatMap(({ start, end }) => readString(bytes, start, end) ?? []);
  return refs.length === 0 ? NO_REFS : refs;
}

function isRef(key: string): boolean {
  return /(?:uuid|messageId)$/i.test(key);
}
