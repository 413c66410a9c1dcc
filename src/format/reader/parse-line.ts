import { hash } from "node:crypto";
import {
  asId,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  objectAt,
  stringAt,
  tryParseJson,
} from "../json.js";
import { type ContentBlock, toContentBlocks } from "../record/content-block.js";
import { toForkStart } from "../record/fork-start.js";
import { VOICE_TALK } from "../record/persons-words.js";
import {
  type AssistantRecord,
  type AttachmentRecord,
  type BrokenRecord,
  CUT_NOTE,
  type ForkOrigin,
  type LogRecord,
  type Place,
  type ProgressRecord,
  SIDE_TYPES,
  type SystemRecord,
  toCompactionFields,
  toLaunchedId,
  toQueuedMessage,
  toSideFact,
  type UserRecord,
} from "../record/record.js";
import { toUsageCounters } from "../record/usage-counters.js";
import { Abridger } from "./abridger.js";
import { recoverGlued, trimFiller } from "./glued-line.js";
import { endOfMembers, objectReader, type ReadValue } from "./json-members.js";
import { findPlainEnd, isObjectAt, isStringAt, skipValue, startsWithAt } from "./json-scanner.js";

/** One line of a file, as bytes `start` to `end` of `bytes`, without its LF. */
export interface Line {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly number: number; // 1-based, as editors count
  readonly offset: number; // of the line's first byte in the file
  readonly length: number; // in the file, without the LF; larger than end - start when `isAbridged`
  readonly isTerminated: boolean;
  readonly isAbridged: boolean;
}

export interface ParseOptions {
  /** Decode only what the skeleton needs: long strings are cut, deep values emptied. */
  readonly abridge?: boolean;
  /** Decode what the model reads, and of the rest only what the skeleton needs; log lines give no record. */
  readonly forReplay?: boolean;
}

/** Shorter lines are parsed whole: looking for what to leave out would cost more. */
const ABRIDGED_FROM_BYTES = 4096;
const SHOWN_BROKEN_BYTES = 1024;

/** No record for a blank line, several for glued ones, else one. Never throws: what cannot be read is data too. */
export function parseLine(line: Line, options: ParseOptions = {}): LogRecord[] {
  const { start, end } = trimLine(line);
  if (start >= end) return [];
  const bytes = line.bytes.subarray(start, end);
  if (options.forReplay && isLogLine(bytes, SESSION_FACT_TYPES)) return [];
  const record = parseAs(line, bytes, options);
  return record ? [record] : recover(line, bytes);
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

function trimLine({ bytes, start, end, offset }: Line): { readonly start: number; readonly end: number } {
  const hasMark = offset === 0 && BYTE_ORDER_MARK.every((byte, index) => bytes[start + index] === byte);
  return trimFiller(bytes, hasMark ? start + BYTE_ORDER_MARK.length : start, end);
}

function parseAs(line: Line, bytes: Buffer, { abridge, forReplay }: ParseOptions): LogRecord | undefined {
  if (abridge && bytes.length >= ABRIDGED_FROM_BYTES) return parseAbridged(line, bytes);
  const shortened = forReplay ? omitResultData(bytes) : undefined;
  const record = shortened === undefined ? undefined : parseText(line, bytes, shortened);
  return record ?? parseWhole(line, bytes);
}

function parseWhole(line: Line, bytes: Buffer): LogRecord | undefined {
  return parseText(line, bytes, bytes.toString("utf8"));
}

function parseText(line: Line, bytes: Buffer, text: string): LogRecord | undefined {
  const raw = tryParseJson(text);
  return isObject(raw) ? toRecord(raw, toOrigin(line, bytes, line.isAbridged)) : undefined;
}

/** For one line after the other: memory of its own for each would cost more than shortening it. */
const abridgedBuffer = Buffer.allocUnsafe(64 * 1024);

function parseAbridged(line: Line, bytes: Buffer): LogRecord | undefined {
  const abridger = new Abridger(abridgedBuffer);
  abridger.push(bytes, 0, bytes.length);
  if (!abridger.wasCut || abridger.ranOutOfRoom) return parseWhole(line, bytes);
  const raw = tryParseJson(abridger.finish().toString("utf8"));
  if (!isObject(raw)) return undefined;
  const record = toRecord(raw, toOrigin(line, bytes, true));
  return isWholeTextNeeded(record) ? parseWhole(line, bytes) : record;
}

/** Side records that hold facts about the session; the others are bulky logs. */
const SESSION_FACT_TYPES: ReadonlySet<string> = new Set([
  "queue-operation",
  "last-prompt",
  "custom-title",
  "ai-title",
  "summary",
  "tag",
  "pr-link",
  "content-replacement",
  "fork-context-ref",
  "continued-in",
  "derived-from",
]);

/** What people wrote decides what a record means, and a tag at its end may matter: it is never judged by its beginning. */
function isWholeTextNeeded(record: LogRecord): boolean {
  switch (record.kind) {
    case "side":
      return SESSION_FACT_TYPES.has(record.type);
    case "system":
      return record.subtype === "local_command" || record.subtype === VOICE_TALK;
    case "attachment":
      return record.attachmentType === "queued_command";
    case "assistant":
      return record.blocks.some(isWholeResultNeeded);
    case "user": {
      if (toForkStart(record)) return true;
      if (record.blocks.some(({ kind }) => kind === "toolResult")) return record.blocks.some(isWholeResultNeeded);
      return !record.isMeta && !record.isCompactSummary;
    }
    default:
      return false;
  }
}

/** An error's text says whether it is a denial; an object as content says in its depth whether it is an error. */
function isWholeResultNeeded(block: ContentBlock): boolean {
  return block.kind === "toolResult" && (block.isError || objectAt(block.raw, "content") !== undefined);
}

function toOrigin(line: Line, bytes: Buffer, isAbridged: boolean): Origin {
  const place = { line: line.number, offset: line.offset, length: line.length };
  return { place, isAbridged, fingerprint: () => fingerprint(bytes) };
}

function fingerprint(bytes: Buffer): string {
  return hash("sha1", bytes, "base64");
}

function recover(line: Line, bytes: Buffer): LogRecord[] {
  const glued = line.isAbridged ? [] : recoverGlued(bytes);
  if (glued.length === 0) return [toBroken(line, bytes, isObjectAt(bytes, 0) ? "not valid JSON" : "not a JSON object")];
  const base = bytes.byteOffset - line.bytes.byteOffset - line.start + line.offset;
  return glued.map(({ start, end, raw }) => {
    const place = { line: line.number, offset: base + start, length: end - start };
    const part = bytes.subarray(start, end);
    if (raw) return toRecord(raw, { place, isAbridged: false, fingerprint: () => fingerprint(part) });
    const isInside = end < bytes.length;
    return {
      ...toBroken({ ...line, isTerminated: line.isTerminated || isInside }, part, "a fragment beside a record"),
      ...place,
    };
  });
}

function toBroken(line: Line, bytes: Buffer, reason: string): BrokenRecord {
  return {
    kind: "broken",
    type: undefined,
    line: line.number,
    offset: line.offset,
    length: line.length,
    reason: line.isTerminated ? reason : "truncated last line",
    text: bytes.toString("utf8", 0, SHOWN_BROKEN_BYTES),
    isTruncatedTail: !line.isTerminated,
  };
}

const TYPE_FIRST = Buffer.from('{"type":"');
const LONGEST_TYPE = 32;
/** Between two records on one line; inside JSON it occurs only where a text ends in "}{". */
const GLUE = '}{"';
/** In JSON this is always a key: inside a string the quotes are escaped. */
const RESULT_KEY = Buffer.from(',"toolUseResult":');
/** Decoding less than this is faster than skipping it. */
const OMITTED_FROM_BYTES = 1024;

/** Whether a line is only for Claude Code's own screen or log, judged by its first bytes. Most lines of a file may be. */
export function isLogLine(bytes: Buffer, kept: ReadonlySet<string>): boolean {
  if (!startsWithAt(bytes, 0, TYPE_FIRST)) return false;
  const end = findPlainEnd(bytes, TYPE_FIRST.length, TYPE_FIRST.length + LONGEST_TYPE);
  if (!isStringAt(bytes, end)) return false;
  const type = bytes.toString("latin1", TYPE_FIRST.length, end);
  return SIDE_TYPES.has(type) && !kept.has(type) && !bytes.includes(GLUE);
}

/**
 * The text of a line as far as the model and the skeleton need it: what Claude Code keeps for display in `toolUseResult` is
 * often most of a line. Undefined where it is short, or not a field of the record itself.
 */
function omitResultData(bytes: Buffer): string | undefined {
  const key = bytes.indexOf(RESULT_KEY);
  if (key < 0) return undefined;
  const start = key + RESULT_KEY.length;
  if (bytes.length - start < OMITTED_FROM_BYTES || !isObjectAt(bytes, start)) return undefined;
  const kept: string[] = [];
  const end = readKeptMembers(bytes, start, bytes.length, kept);
  if (end < 0 || endOfMembers(bytes, end, bytes.length) !== bytes.length) return undefined;
  return `${bytes.toString("utf8", 0, start)}{${kept.join(",")}}${bytes.toString("utf8", end)}`;
}

const keepMember: ReadValue<string[]> = (bytes, at, end, kept, keyAt) => {
  const after = skipValue(bytes, at, end);
  if (after > at) kept.push(bytes.toString("utf8", keyAt, after));
  return after;
};

const readKeptMembers = objectReader<string[]>({
  agentId: keepMember,
  backgroundTaskId: keepMember,
  interrupted: keepMember,
  runId: keepMember,
  transcriptDir: keepMember,
});

interface Origin {
  readonly place: Place;
  readonly isAbridged: boolean;
  fingerprint(): string;
}

/**
 * Gives a parsed line its meaning-free shape. Wrong types count as missing, nothing throws. It runs for every record:
 * assigning to the fresh envelope instead of spreading it is 80 times faster in V8.
 */
function toRecord(raw: JsonObject, origin: Origin): LogRecord {
  const type = recordType(raw);
  const envelope = toEnvelope(raw, type, origin);
  switch (type) {
    case "user":
      return toUserRecord(raw, envelope);
    case "assistant":
      return toAssistantRecord(raw, envelope);
    case "system":
      return toSystemRecord(raw, envelope);
    case "attachment":
      return toAttachmentRecord(raw, envelope);
    case "progress":
      return toProgressRecord(raw, envelope);
    default:
      return SIDE_TYPES.has(type)
        ? Object.assign(envelope, { kind: "side" as const, fact: toSideFact(type, raw) })
        : Object.assign(envelope, { kind: "other" as const });
  }
}

/** Rows of other writers carry no `type`; the message's role says what they are. */
function recordType(raw: JsonObject): string {
  const type = asString(raw["type"]);
  if (type !== undefined) return type;
  const role =
    asString(asObject(raw["message"])?.["role"]) ?? (raw["content"] === undefined ? undefined : asString(raw["role"]));
  return role === "user" || role === "assistant" ? role : "";
}

type EnvelopeFields = Omit<AttachmentRecord, "kind" | "attachmentType" | "attachment" | "queued">;

function toEnvelope(raw: JsonObject, type: string, origin: Origin): EnvelopeFields {
  const parent = raw["parentUuid"];
  const uuid = asId(raw["uuid"]);
  return {
    line: origin.place.line,
    offset: origin.place.offset,
    length: origin.place.length,
    isAbridged: origin.isAbridged,
    fingerprint: uuid === undefined && isCounted(type) ? origin.fingerprint() : undefined,
    type,
    uuid,
    parentUuid: typeof parent === "string" || parent === null ? parent : undefined,
    timestamp: asString(raw["timestamp"]) ?? asString(asObject(raw["message"])?.["timestamp"]),
    sessionId: asString(raw["sessionId"]),
    isSidechain: raw["isSidechain"] === true,
    isMeta: raw["isMeta"] === true,
    agentId: asString(raw["agentId"]),
    cwd: asString(raw["cwd"]),
    version: asString(raw["version"]),
    gitBranch: asString(raw["gitBranch"]),
    slug: asString(raw["slug"]),
    forkedFrom: toForkOrigin(raw["forkedFrom"]),
    recordedBy: toRecordedBy(raw["recordedBy"]),
    raw,
  };
}

/** Of the records without uuid, a repeated one must not count twice; most side records only say the same thing again. */
function isCounted(type: string): boolean {
  return type === "queue-operation" || !SIDE_TYPES.has(type);
}

function toForkOrigin(value: unknown): ForkOrigin | undefined {
  const sessionId = stringAt(value, "sessionId");
  return sessionId === undefined ? undefined : { sessionId, messageUuid: stringAt(value, "messageUuid") };
}

function toRecordedBy(value: unknown): EnvelopeFields["recordedBy"] {
  const name = stringAt(value, "name");
  return name === undefined ? undefined : { name, version: stringAt(value, "version") };
}

function contentOf(raw: JsonObject): unknown {
  const message = asObject(raw["message"]);
  return message ? message["content"] : raw["content"];
}

function toUserRecord(raw: JsonObject, envelope: EnvelopeFields): UserRecord {
  const launch = asObject(raw["toolUseResult"]);
  return Object.assign(envelope, {
    kind: "user" as const,
    blocks: toContentBlocks(contentOf(raw)),
    isCompactSummary: raw["isCompactSummary"] === true,
    permissionMode: asString(raw["permissionMode"]),
    promptSource: asString(raw["promptSource"]),
    turnOrigin: asString(raw["turnOrigin"]),
    originKind: asString(asObject(raw["origin"])?.["kind"]),
    toolUseResult: raw["toolUseResult"],
    launchedId: toLaunchedId(launch),
    toolDenialKind: asString(raw["toolDenialKind"]),
    sentAsUuid: asId(raw["sentAsUuid"]),
    followsCut: raw["turnCompanion"] === true && raw["isMeta"] === true && isCutNote(contentOf(raw)),
  });
}

function isCutNote(content: unknown): boolean {
  const [block] = toContentBlocks(content);
  return block?.kind === "text" && block.text.startsWith(CUT_NOTE);
}

function toAssistantRecord(raw: JsonObject, envelope: EnvelopeFields): AssistantRecord {
  const message = asObject(raw["message"]) ?? raw;
  return Object.assign(envelope, {
    kind: "assistant" as const,
    blocks: toContentBlocks(contentOf(raw)),
    messageId: asId(message["id"]),
    requestId: asId(raw["requestId"]),
    requestSessionId: asString(raw["requestSessionId"]),
    model: asString(message["model"]),
    stopReason: asString(message["stop_reason"]),
    usage: toUsageCounters(message["usage"]),
    speed: asString(asObject(message["usage"])?.["speed"]),
    apiBlockIndex: asNumber(raw["apiBlockIndex"]),
    isApiError: raw["isApiErrorMessage"] === true,
    isAborted: raw["isAbortedMidStream"] === true,
    hasStopDetails: message["stop_details"] !== undefined,
  });
}

function toSystemRecord(raw: JsonObject, envelope: EnvelopeFields): SystemRecord {
  return Object.assign(envelope, {
    kind: "system" as const,
    subtype: asString(raw["subtype"]),
    content: asString(raw["content"]),
    logicalParentUuid: asString(raw["logicalParentUuid"]),
    durationMs: asNumber(raw["durationMs"]),
    compaction: toCompactionFields(raw["compactMetadata"]),
  });
}

function toAttachmentRecord(raw: JsonObject, envelope: EnvelopeFields): AttachmentRecord {
  const attachment = asObject(raw["attachment"]) ?? {};
  return Object.assign(envelope, {
    kind: "attachment" as const,
    attachmentType: asString(attachment["type"]),
    attachment,
    queued: toQueuedMessage(attachment),
  });
}

function toProgressRecord(raw: JsonObject, envelope: EnvelopeFields): ProgressRecord {
  const data = asObject(raw["data"]);
  return Object.assign(envelope, {
    kind: "progress" as const,
    progressType: asString(data?.["type"]),
    parentToolUseId: asString(raw["parentToolUseID"]),
    progressAgentId: asString(data?.["agentId"]),
  });
}
