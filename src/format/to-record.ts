import { toContentBlocks } from "./content-block.js";
import { arrayAt, isObject, isTrueAt, type JsonObject, numberAt, objectAt, stringAt, valueAt } from "./json.js";
import type {
  AssistantRecord,
  AttachmentRecord,
  CompactionFields,
  ForkOrigin,
  LogRecord,
  Place,
  ProgressRecord,
  SystemRecord,
  UserRecord,
} from "./record.js";
import { SIDE_TYPES } from "./record-types.js";
import { toUsageFields } from "./usage-fields.js";

export interface Origin {
  readonly place: Place;
  readonly isAbridged: boolean;
  fingerprint(): string;
}

/** Gives a parsed line its meaning-free shape. Wrong types count as missing, nothing throws. */
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
      return { ...envelope, kind: SIDE_TYPES.has(type) ? "side" : "other" };
  }
}

/** Rows of other writers carry no `type`; the message's role says what they are. */
function recordType(raw: JsonObject): string {
  const type = stringAt(raw, "type");
  if (type !== undefined) return type;
  const role = stringAt(raw, "message", "role") ?? (Object.hasOwn(raw, "content") ? stringAt(raw, "role") : undefined);
  return role === "user" || role === "assistant" ? role : "";
}

type EnvelopeFields = Omit<AttachmentRecord, "kind" | "attachmentType" | "attachment">;

function toEnvelope(raw: JsonObject, type: string, origin: Origin): EnvelopeFields {
  const parent = valueAt(raw, "parentUuid");
  const uuid = stringAt(raw, "uuid");
  return {
    ...origin.place,
    isAbridged: origin.isAbridged,
    fingerprint: uuid === undefined && isCounted(type) ? origin.fingerprint() : undefined,
    type,
    uuid,
    parentUuid: typeof parent === "string" || parent === null ? parent : undefined,
    timestamp: stringAt(raw, "timestamp") ?? stringAt(raw, "message", "timestamp"),
    sessionId: stringAt(raw, "sessionId"),
    isSidechain: isTrueAt(raw, "isSidechain"),
    isMeta: isTrueAt(raw, "isMeta"),
    agentId: stringAt(raw, "agentId"),
    cwd: stringAt(raw, "cwd"),
    version: stringAt(raw, "version"),
    gitBranch: stringAt(raw, "gitBranch"),
    slug: stringAt(raw, "slug"),
    forkedFrom: toForkOrigin(valueAt(raw, "forkedFrom")),
    recordedBy: toRecordedBy(valueAt(raw, "recordedBy")),
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
  return isObject(valueAt(raw, "message")) ? valueAt(raw, "message", "content") : valueAt(raw, "content");
}

function toUserRecord(raw: JsonObject, envelope: EnvelopeFields): UserRecord {
  return {
    ...envelope,
    kind: "user",
    blocks: toContentBlocks(contentOf(raw)),
    isCompactSummary: isTrueAt(raw, "isCompactSummary"),
    permissionMode: stringAt(raw, "permissionMode"),
    promptSource: stringAt(raw, "promptSource"),
    turnOrigin: stringAt(raw, "turnOrigin"),
    originKind: stringAt(raw, "origin", "kind"),
    toolUseResult: valueAt(raw, "toolUseResult"),
    toolDenialKind: stringAt(raw, "toolDenialKind"),
  };
}

function toAssistantRecord(raw: JsonObject, envelope: EnvelopeFields): AssistantRecord {
  const message = objectAt(raw, "message") ?? raw;
  return {
    ...envelope,
    kind: "assistant",
    blocks: toContentBlocks(contentOf(raw)),
    messageId: stringAt(message, "id"),
    requestId: stringAt(raw, "requestId"),
    model: stringAt(message, "model"),
    stopReason: stringAt(message, "stop_reason"),
    usage: toUsageFields(valueAt(message, "usage")),
    apiBlockIndex: numberAt(raw, "apiBlockIndex"),
    isApiError: isTrueAt(raw, "isApiErrorMessage"),
    isAborted: isTrueAt(raw, "isAbortedMidStream"),
  };
}

function toSystemRecord(raw: JsonObject, envelope: EnvelopeFields): SystemRecord {
  return {
    ...envelope,
    kind: "system",
    subtype: stringAt(raw, "subtype"),
    content: stringAt(raw, "content"),
    logicalParentUuid: stringAt(raw, "logicalParentUuid"),
    durationMs: numberAt(raw, "durationMs"),
    compaction: toCompactionFields(valueAt(raw, "compactMetadata")),
  };
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
  const attachment = objectAt(raw, "attachment") ?? {};
  return { ...envelope, kind: "attachment", attachmentType: stringAt(attachment, "type"), attachment };
}

function toProgressRecord(raw: JsonObject, envelope: EnvelopeFields): ProgressRecord {
  return {
    ...envelope,
    kind: "progress",
    progressType: stringAt(raw, "data", "type"),
    parentToolUseId: stringAt(raw, "parentToolUseID"),
    progressAgentId: stringAt(raw, "data", "agentId"),
  };
}
