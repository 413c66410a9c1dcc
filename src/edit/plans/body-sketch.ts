import { numberAt, objectAt, stringAt, valueAt } from "../../format/json.js";
import { readRecordsAt } from "../../format/reader/record-reader.js";
import type { ContentBlock } from "../../format/record/content-block.js";
import { type PersonsWords, personsWordsIn } from "../../format/record/persons-words.js";
import type { AssistantRecord, AttachmentRecord, LogRecord, UserRecord } from "../../format/record/record.js";
import { contentBytes } from "../../format/writer/context-size.js";
import { isMediaAttachment, stubAttachment } from "../../format/writer/trim-attachment.js";
import { type ContentTrim, trimBlock, trimResultData } from "../../format/writer/trim-record.js";
import { messageKey } from "../../session/messages/message.js";
import { isThinking, type SourceRecord } from "./source-record.js";

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
  /** Of an attachment: what a stub of it takes; undefined where it would stay as it is. */
  readonly stub: number | undefined;
  /** A mentioned image or PDF. */
  readonly isMedia: boolean;
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
export function sketchBodies({ path, records, transcript }: SketchedSource): BodySketch[] {
  const sketchBody = bodySketcher(transcript);
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

interface SketchedSource {
  readonly path: string;
  readonly records: readonly SourceRecord[];
  readonly transcript: string;
}

const SKETCHED: ReadonlySet<LogRecord["kind"]> = new Set(["user", "assistant", "progress", "attachment"]);

export function isSketched({ kind }: SourceRecord): boolean {
  return SKETCHED.has(kind);
}

/** Sketches one record after the other. `transcript` is the file that notes on removed content refer to. */
export function bodySketcher(transcript: string): (record: SourceRecord, body: LogRecord) => BodySketch {
  const names = new Map<string, string>();
  return (record, body) => {
    if (body.kind === "assistant") {
      for (const block of body.blocks) if (block.kind === "toolCall") names.set(block.id, block.name);
    }
    return sketchBody(record, body, { where: pointTo(record, transcript), toolOf: (id) => names.get(id) ?? "" });
  };
}

/** Where a record can be read, for the model and for people. */
export function pointTo({ line }: Pick<SourceRecord, "line">, transcript: string): string {
  return `line ${line} of ${transcript}`;
}

function sketchBody(record: SourceRecord, body: LogRecord, notes: TrimNotes): BodySketch {
  const base = { record, ...NO_BODY };
  switch (body.kind) {
    case "assistant":
      return {
        ...base,
        blocks: sketchBlocks(body, record, notes),
        message: messageKey(body),
        stopsForTool: body.stopReason === "tool_use",
      };
    case "user":
      return {
        ...base,
        blocks: sketchBlocks(body, record, notes),
        hasLongNote: body.toolUseResult !== undefined && trimResultData(body.toolUseResult) !== body.toolUseResult,
        lines: readLines(body.toolUseResult),
      };
    case "progress":
      return { ...base, servesCall: body.parentToolUseId };
    case "attachment":
      return {
        ...base,
        servesCall: stringAt(body.attachment, "toolUseID"),
        isQueued: body.queued !== undefined,
        stub: stubBytes(body, notes),
        isMedia: isMediaAttachment(body.raw),
      };
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
  stub: undefined,
  isMedia: false,
};

type TrimNotes = Pick<ContentTrim, "where" | "toolOf">;

function stubBytes({ raw }: AttachmentRecord, { where }: TrimNotes): number | undefined {
  const stubbed = stubAttachment(raw, where);
  if (stubbed === raw) return undefined;
  const rendered = stubbed["rendered"];
  return contentBytes(rendered === undefined ? valueAt(stubbed, "attachment", "content") : rendered);
}

/** A string is one text, which is never changed. What a block alone takes was measured when the record was read. */
function sketchBlocks(
  body: AssistantRecord | UserRecord,
  { contextBytes }: SourceRecord,
  notes: TrimNotes,
): BlockSketch[] {
  const { blocks } = body;
  const [only] = blocks;
  if (only && blocks.length === 1) return [sketchBlock(only, body, () => contextBytes, notes)];
  return blocks.map((block) => sketchBlock(block, body, contentBytes, notes));
}

function sketchBlock(
  block: ContentBlock,
  body: AssistantRecord | UserRecord,
  bytesOf: (raw: unknown) => number,
  notes: TrimNotes,
): BlockSketch {
  const base = { ...NO_BLOCK, imageless: left(block.raw, { ...IMAGELESS, ...notes }) };
  switch (block.kind) {
    case "toolCall":
      return {
        ...base,
        ...shorter(block.raw, notes),
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
        ...shorter(block.raw, notes),
        bytes: bytesOf(block.raw),
        kind: "result",
        id: block.toolUseId,
        personsWords: body.kind === "user" ? wordsAt(body, block.toolUseId) : NO_BLOCK.personsWords,
      };
    case "text":
      return body.kind === "assistant" && block.text.trim() === "" ? { ...base, kind: "blank" } : base;
    case "image":
    case "document":
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

type TrimAction = Omit<ContentTrim, keyof TrimNotes>;

const STUB: TrimAction = { actionFor: () => "stub", isWithoutThinking: false, isWithoutImages: false };
const TRUNCATE: TrimAction = { ...STUB, actionFor: () => "truncate" };
const IMAGELESS: TrimAction = { ...STUB, actionFor: () => undefined, isWithoutImages: true };

function shorter(raw: unknown, notes: TrimNotes): Pick<BlockSketch, "stub" | "truncate"> {
  return { stub: left(raw, { ...STUB, ...notes }), truncate: left(raw, { ...TRUNCATE, ...notes }) };
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
