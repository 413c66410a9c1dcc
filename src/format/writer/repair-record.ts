import { isObject, type JsonObject, objectAt, valueAt } from "../json.js";
import { toContentBlocks } from "../record/content-block.js";
import { wrongTypes } from "../record/field-types.js";
import { extraBlockFields } from "../record/known-names.js";

/** What is put right in a message's record; fields of the wrong type and fields that the API refuses always go. */
export interface RecordRepair {
  /** Where the record itself does not say. */
  readonly type?: "user" | "assistant";
  readonly uuid?: string;
  readonly isRoot?: boolean;
  readonly timestamp?: string;
  readonly messageId?: string;
  /** Blocks that go, by their place. */
  readonly without?: ReadonlySet<number>;
  /** It stopped for a tool that it does not call. */
  readonly isEnd?: boolean;
  /** Its counts of tokens say how full the context is, and are wrong. */
  readonly isCountReset?: boolean;
}

export function repairRecord(raw: JsonObject, mending: RecordRepair): JsonObject {
  const { uuid, isRoot, timestamp, type = raw["type"] } = mending;
  if (type !== "user" && type !== "assistant") return { ...raw, uuid, ...(isRoot ? { parentUuid: null } : {}) };
  const { content: _content, ...bare } = raw;
  const record = withoutFields(objectAt(raw, "message") ? raw : bare, wrongNames(raw, ""));
  return {
    ...record,
    type,
    message: repairMessage(raw, mending),
    ...(uuid === undefined ? {} : { uuid }),
    ...(isRoot ? { parentUuid: null } : {}),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

/** Whether a block may be sent as it is. */
export function isSendableBlock(block: unknown): boolean {
  return isObject(block) && extraBlockFields(block).length === 0;
}

function repairMessage(raw: JsonObject, { type, messageId, isEnd, isCountReset, without }: RecordRepair): JsonObject {
  const message = objectAt(raw, "message") ?? { role: type ?? raw["type"] };
  const content = valueAt(message, "content") ?? raw["content"];
  const usage = objectAt(message, "usage");
  return {
    ...withoutFields(message, wrongNames(raw, "message.")),
    content: typeof content === "string" && raw["type"] === "user" ? content : repairBlocks(content, without),
    ...(messageId === undefined ? {} : { id: messageId }),
    ...(isEnd && message["stop_reason"] === "tool_use" ? { stop_reason: "end_turn" } : {}),
    ...(isCountReset && usage ? { usage: { ...usage, ...NO_CONTEXT } } : {}),
  };
}

const NO_CONTEXT = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

function repairBlocks(content: unknown, without: ReadonlySet<number> = new Set()): JsonObject[] {
  return toContentBlocks(content)
    .filter(({ raw }, place) => isObject(raw) && !without.has(place))
    .flatMap(({ raw }) => (isObject(raw) ? [withoutFields(raw, extraBlockFields(raw))] : []));
}

function wrongNames(raw: JsonObject, prefix: string): string[] {
  return wrongTypes(raw)
    .filter(({ field }) => field.startsWith(prefix) && !field.slice(prefix.length).includes("."))
    .map(({ field }) => field.slice(prefix.length))
    .filter((field) => field !== "type");
}

function withoutFields(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
