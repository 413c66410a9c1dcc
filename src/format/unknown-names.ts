import { isObject, type JsonObject, objectAt, stringAt } from "./json.js";
import {
  ATTACHMENT_TYPES,
  BLOCK_FIELDS,
  MESSAGE_FIELDS,
  PROGRESS_TYPES,
  RECORD_FIELDS,
  STOP_REASONS,
  SYSTEM_SUBTYPES,
  USAGE_FIELDS,
} from "./known-format.js";
import type { AssistantRecord, LogRecord, UserRecord } from "./record.js";
import { isKnownType } from "./record-types.js";

export type NameKind =
  | "type"
  | "field" // of a record
  | "messageField"
  | "blockType"
  | "blockField"
  | "usageField"
  | "stopReason"
  | "systemSubtype"
  | "attachmentType"
  | "progressType";

/** A name that `known-format.ts` does not have, and the type of the record or block that it was seen in. */
export interface UnknownName {
  readonly kind: NameKind;
  readonly name: string;
  readonly within: string;
}

/** What in a record is from the future, or from another writer. */
export function unknownNames(record: LogRecord): UnknownName[] {
  if (record.kind === "broken") return [];
  const { type, raw } = record;
  return [...unknownOf("type", isKnownType(type) ? [] : [type], type), ...fields(raw, type), ...inside(record)];
}

function fields(raw: JsonObject, type: string): UnknownName[] {
  return unknownOf("field", keysOutside(raw, RECORD_FIELDS.get(type)), type);
}

function inside(record: Exclude<LogRecord, { kind: "broken" }>): UnknownName[] {
  switch (record.kind) {
    case "user":
      return insideMessage(record);
    case "assistant":
      return [...insideMessage(record), ...insideAnswer(record)];
    case "system":
      return unknownOf("systemSubtype", outside(record.subtype, SYSTEM_SUBTYPES), record.type);
    case "attachment":
      return unknownOf("attachmentType", outside(record.attachmentType, ATTACHMENT_TYPES), record.type);
    case "progress":
      return unknownOf("progressType", outside(record.progressType, PROGRESS_TYPES), record.type);
    default:
      return [];
  }
}

function insideMessage({ raw, type, blocks }: UserRecord | AssistantRecord): UnknownName[] {
  const message = keysOutside(objectAt(raw, "message"), MESSAGE_FIELDS.get(type));
  return [...unknownOf("messageField", message, type), ...blocks.flatMap((block) => insideBlock(block.raw, type))];
}

function insideBlock(raw: unknown, recordType: string): UnknownName[] {
  const type = stringAt(raw, "type") ?? "";
  if (!isKnownBlock(type)) return unknownOf("blockType", [type], recordType);
  return unknownOf("blockField", extraBlockFields(raw), type);
}

/** Results of the API's own tools are named after the tool, and shaped by it. */
function isKnownBlock(type: string): boolean {
  return BLOCK_FIELDS.has(type) || type.endsWith("_tool_result");
}

/** Fields of a content block that the API would refuse. */
export function extraBlockFields(block: unknown): string[] {
  return keysOutside(isObject(block) ? block : undefined, BLOCK_FIELDS.get(stringAt(block, "type") ?? ""));
}

function insideAnswer({ raw, stopReason, type }: AssistantRecord): UnknownName[] {
  const usage = objectAt(raw, "message", "usage") ?? {};
  const names = Object.entries(usage).flatMap(([name, value]) => [
    name,
    ...(isObject(value) ? Object.keys(value).map((key) => `${name}.${key}`) : []),
  ]);
  const unknown = names.filter((name) => !USAGE_FIELDS.has(name));
  return [
    ...unknownOf("usageField", unknown, type),
    ...unknownOf("stopReason", outside(stopReason, STOP_REASONS), type),
  ];
}

function keysOutside(object: JsonObject | undefined, known: ReadonlySet<string> | undefined): string[] {
  return object && known ? Object.keys(object).filter((key) => !known.has(key)) : [];
}

function outside(name: string | undefined, known: ReadonlySet<string>): string[] {
  return name === undefined || known.has(name) ? [] : [name];
}

function unknownOf(kind: NameKind, names: readonly string[], within: string): UnknownName[] {
  return names.map((name) => ({ kind, name, within }));
}
