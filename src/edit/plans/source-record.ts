import { numberAt, objectAt, stringAt } from "../../format/json.js";
import { listMembers, listStrings } from "../../format/reader/json-members.js";
import { isStringAt, readString } from "../../format/reader/json-scanner.js";
import type { Line } from "../../format/reader/parse-line.js";
import { readRecordsAt } from "../../format/reader/record-reader.js";
import type { ContentBlock } from "../../format/record/content-block.js";
import { type PersonsWords, personsWordsIn } from "../../format/record/persons-words.js";
import type { AssistantRecord, LogRecord, Place, UserRecord } from "../../format/record/record.js";
import { contentBytes, contextBytes } from "../../format/writer/context-size.js";
import { type ContentTrim, trimBlock, trimResultData } from "../../format/writer/trim-record.js";
import type { Node } from "../../session/graph/node.js";
import { messageKey } from "../../session/messages/message.js";

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
  readonly hasThinking: boolean;
}

/** One literal for all: objects of one shape take less time and memory, and a long session has hundreds of thousands. */
export function toSourceRecord(record: LogRecord, line: Line): SourceRecord {
  const { offset, length, kind, type } = record;
  const known = record.kind === "broken" ? undefined : record;
  const isSide = !known || !isInConversation(known);
  const time = Date.parse(known?.timestamp ?? "");
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
    contextBytes: isSide ? 0 : line.isAbridged ? length : contextBytes(bytesOf(record, line)),
    isSidechain: known?.isSidechain ?? false,
    hasThinking: record.kind === "assistant" && record.blocks.some(isThinking),
  };
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

/** What pruning needs to know of the body of a record. */
export interface BodySketch {
  readonly record: SourceRecord;
  readonly blocks: readonly BlockSketch[];
  /** Of an answer: the key of its message. */
  readonly message: string | undefined;
  readonly stopsForTool: boolean;
  /** `toolUseResult` would get shorter with the result. */
  readonly hasLongNote: boolean;
  /** The lines of a file that a result holds, by `toolUseResult`. */
  readonly lines: LineRange | undefined;
  /** The call to which progress or the report of a hook belongs. */
  readonly servesCall: string | undefined;
  /** A message that waited in the queue. */
  readonly isQueued: boolean;
}

/** Sizes are bytes of the context; undefined where the block would stay as it is. */
export interface BlockSketch {
  readonly kind: "call" | "result" | "thinking" | "blank" | "other";
  readonly id: string | undefined; // of the call
  readonly name: string | undefined;
  readonly isServerSide: boolean;
  readonly bytes: number;
  readonly stub: number | undefined;
  readonly truncate: number | undefined;
  readonly imageless: number | undefined;
  readonly read: FileRead | undefined;
  /** Of a result: what a person said through the call. */
  readonly personsWords: readonly PersonsWords[];
}

export interface LineRange {
  readonly first: number;
  readonly last: number;
}

export interface FileRead {
  readonly path: string;
  readonly range: string; // empty: the whole file
}

/** Of everything but inline sub-agents, in file order; the file is read once, one body in memory at a time. */
export function sketchBodies(path: string, records: readonly SourceRecord[]): BodySketch[] {
  const own = records.filter((record) => isSketched(record) && !record.isSidechain);
  const sketches: BodySketch[] = [];
  let at = 0;
  for (const body of readRecordsAt(path, own)) {
    while (own[at] && own[at]?.offset !== body.offset) at += 1;
    const record = own[at];
    if (record) sketches.push(sketchBody(record, body));
  }
  return sketches;
}

const SKETCHED: ReadonlySet<LogRecord["kind"]> = new Set(["user", "assistant", "progress", "attachment"]);

export function isSketched({ kind }: SourceRecord): boolean {
  return SKETCHED.has(kind);
}

export function sketchBody(record: SourceRecord, body: LogRecord): BodySketch {
  const base = { record, ...NO_BODY };
  switch (body.kind) {
    case "assistant":
      return {
        ...base,
        blocks: sketchBlocks(body, record),
        message: messageKey(body),
        stopsForTool: body.stopReason === "tool_use",
      };
    case "user":
      return {
        ...base,
        blocks: sketchBlocks(body, record),
        hasLongNote: body.toolUseResult !== undefined && trimResultData(body.toolUseResult) !== body.toolUseResult,
        lines: readLines(body.toolUseResult),
      };
    case "progress":
      return { ...base, servesCall: body.parentToolUseId };
    case "attachment":
      return { ...base, servesCall: stringAt(body.attachment, "toolUseID"), isQueued: body.queued !== undefined };
    default:
      return base;
  }
}

const NO_BODY: Omit<BodySketch, "record"> = {
  blocks: [],
  message: undefined,
  stopsForTool: false,
  hasLongNote: false,
  lines: undefined,
  servesCall: undefined,
  isQueued: false,
};

/** A string is one text, which is never changed. What a block alone takes was measured when the record was read. */
function sketchBlocks(body: AssistantRecord | UserRecord, { contextBytes }: SourceRecord): BlockSketch[] {
  const { blocks } = body;
  const [only] = blocks;
  if (only && blocks.length === 1) return [sketchBlock(only, body, () => contextBytes)];
  return blocks.map((block) => sketchBlock(block, body, contentBytes));
}

function sketchBlock(
  block: ContentBlock,
  body: AssistantRecord | UserRecord,
  bytesOf: (raw: unknown) => number,
): BlockSketch {
  const base = { ...NO_BLOCK, imageless: left(block.raw, IMAGELESS) };
  switch (block.kind) {
    case "toolCall":
      return {
        ...base,
        ...shorter(block.raw),
        bytes: bytesOf(block.raw),
        kind: "call",
        id: block.id,
        name: block.name,
        isServerSide: block.isServerSide,
        read: block.name === "Read" ? toFileRead(block.input) : undefined,
      };
    case "toolResult":
      return {
        ...base,
        ...shorter(block.raw),
        bytes: bytesOf(block.raw),
        kind: "result",
        id: block.toolUseId,
        personsWords: body.kind === "user" ? wordsAt(body, block.toolUseId) : NO_BLOCK.personsWords,
      };
    case "text":
      return body.kind === "assistant" && block.text.trim() === "" ? { ...base, kind: "blank" } : base;
    case "image":
      return { ...base, bytes: bytesOf(block.raw) };
    default:
      return isThinking(block) ? { ...base, kind: "thinking", bytes: bytesOf(block.raw) } : base;
  }
}

const NO_BLOCK: BlockSketch = {
  kind: "other",
  id: undefined,
  name: undefined,
  isServerSide: false,
  bytes: 0,
  stub: undefined,
  truncate: undefined,
  imageless: undefined,
  read: undefined,
  personsWords: [],
};

function wordsAt(body: UserRecord, call: string): readonly PersonsWords[] {
  const words = personsWordsIn(body);
  return words.length === 0 ? NO_BLOCK.personsWords : words.filter(({ toolUseId }) => toolUseId === call);
}

const STUB: ContentTrim = { actionFor: () => "stub", isWithoutThinking: false, isWithoutImages: false };
const TRUNCATE: ContentTrim = { ...STUB, actionFor: () => "truncate" };
const IMAGELESS: ContentTrim = { ...STUB, actionFor: () => undefined, isWithoutImages: true };

function shorter(raw: unknown): Pick<BlockSketch, "stub" | "truncate"> {
  return { stub: left(raw, STUB), truncate: left(raw, TRUNCATE) };
}

function left(raw: unknown, trim: ContentTrim): number | undefined {
  const trimmed = trimBlock(raw, trim);
  return trimmed === raw ? undefined : contentBytes(trimmed);
}

/** None where the text itself is missing: Claude Code said that the file is unchanged, or the text was pruned before. */
function readLines(note: unknown): LineRange | undefined {
  const file = objectAt(note, "file");
  const [first, count] = [numberAt(file, "startLine"), numberAt(file, "numLines")];
  if (first === undefined || count === undefined) return undefined;
  const text = stringAt(file, "content");
  return text === undefined || text.split("\n").length < count ? undefined : { first, last: first + count - 1 };
}

function toFileRead(input: unknown): FileRead | undefined {
  const path = stringAt(input, "file_path");
  const range = ["offset", "limit", "pages"].map((key) => numberAt(input, key) ?? stringAt(input, key) ?? "").join(" ");
  return path === undefined ? undefined : { path, range: range.trim() };
}
