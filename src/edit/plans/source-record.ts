import { listMembers, listStrings } from "../../format/reader/json-members.js";
import { isStringAt, readString } from "../../format/reader/json-scanner.js";
import type { Line } from "../../format/reader/line-splitter.js";
import type { ContentBlock } from "../../format/record/content-block.js";
import type { LogRecord, Place } from "../../format/record/record.js";
import { contextBytes } from "../../format/writer/context-size.js";
import { type Node, toNode } from "../../session/graph/node.js";

/** A record of the file: its node, or the place and kind of one outside of the conversation, with what an edit needs besides. */
export interface SourceRecord extends Node {
  readonly type: string | undefined;
  /** The ids to which a record outside of the conversation refers. */
  readonly refs: readonly string[];
  readonly contextBytes: number;
  readonly hasThinking: boolean;
}

export function toSourceRecord(record: LogRecord, line: Line): SourceRecord {
  const node = toNode(record);
  const isLog = isRequestLog(record.type);
  return {
    ...(node ?? toBareNode(record)),
    type: record.type,
    refs: node || isLog || record.kind === "broken" ? NO_REFS : listRefs(bytesOf(record, line)),
    contextBytes: !node ? 0 : line.isAbridged ? record.length : contextBytes(bytesOf(record, line)),
    hasThinking: record.kind === "assistant" && record.blocks.some(isThinking),
  };
}

/** A record that is no part of the conversation. */
function toBareNode(record: LogRecord): Node {
  const { line, offset, length, kind } = record;
  const node = { line, offset, length, kind, role: "plain" } as const;
  if (record.kind === "broken") return node;
  const { uuid, parentUuid, timestamp, isSidechain } = record;
  const time = Date.parse(timestamp ?? "");
  return {
    ...node,
    uuid,
    parentUuid,
    time: Number.isNaN(time) ? undefined : time,
    ...(isSidechain ? { isSidechain } : {}),
  };
}

const NO_REFS: readonly string[] = [];

/** Where a record continues: a compaction's boundary has no parent, but names the record before it. */
export function continuedFrom({ logicalParentUuid, parentUuid }: Node): string | null | undefined {
  return logicalParentUuid ?? parentUuid;
}

/** A record without uuid is part of the conversation by its kind. */
export function isInConversation({ kind, uuid }: Node): boolean {
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
