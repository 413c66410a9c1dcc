import {
  arrayAt,
  asId,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from "../json.js";
import { toContentBlocks } from "./content-block.js";
import {
  type AssistantRecord,
  type AttachmentRecord,
  type CompactionFields,
  type ForkOrigin,
  type LogRecord,
  type Place,
  type ProgressRecord,
  SIDE_TYPES,
  type SystemRecord,
  toQueuedMessage,
  toSideFact,
  type UserRecord,
} from "./record.js";
import { toUsageCounters } from "./usage-counters.js";

export interface Origin {
  readonly place: Place;
  readonly isAbridged: boolean;
  fingerprint(): string;
}

/**
 * Gives a parsed line its meaning-free shape. Wrong types count as missing, nothing throws. It runs for every record:
 * assigning to the fresh envelope instead of spreading it is 80 times faster in V8.
 */
export function toRecord(raw: JsonObject, origin: Origin): LogRecord {
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
    launchedId: asString(launch?.["agentId"]) ?? asString(launch?.["backgroundTaskId"]),
    toolDenialKind: asString(raw["toolDenialKind"]),
  });
}

function toAssistantRecord(raw: JsonObject, envelope: EnvelopeFields): AssistantRecord {
  const message = asObject(raw["message"]) ?? raw;
  return Object.assign(envelope, {
    kind: "assistant" as const,
    blocks: toContentBlocks(contentOf(raw)),
    messageId: asId(message["id"]),
    requestId: asId(raw["requestId"]),
    model: asString(message["model"]),
    stopReason: asString(message["stop_reason"]),
    usage: toUsageCounters(message["usage"]),
    speed: asString(asObject(message["usage"])?.["speed"]),
    apiBlockIndex: asNumber(raw["apiBlockIndex"]),
    isApiError: raw["isApiErrorMessage"] === true,
    isAborted: raw["isAbortedMidStream"] === true,
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

function toCompactionFields(metadata: unknown): CompactionFields | undefined {
  if (!isObject(metadata)) return undefined;
  const messages = objectAt(metadata, "preservedMessages");
  const segment = objectAt(metadata, "preservedSegment");
  const uuids = arrayAt(messages, "uuids").filter((uuid) => typeof uuid === "string");
  const hasPreserved = messages !== undefined || segment !== undefined;
  return {
    trigger: stringAt(metadata, "trigger"),
    preTokens: numberAt(metadata, "preTokens"),
    postTokens: numberAt(metadata, "postTokens"),
    preserved: hasPreserved
      ? { uuids, head: stringAt(segment, "headUuid"), tail: stringAt(segment, "tailUuid") }
      : undefined,
  };
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
