import { arrayAt, isObject, type JsonObject, objectAt, valueAt } from "./json.js";

export interface WrongType {
  readonly field: string;
  readonly expected: string;
  readonly found: string;
}

type JsonType = "string" | "number" | "boolean" | "object" | "array" | "null" | "nothing";

const RECORD_TYPES: Readonly<Record<string, readonly JsonType[]>> = {
  type: ["string"],
  uuid: ["string", "nothing"],
  parentUuid: ["string", "null", "nothing"],
  timestamp: ["string", "nothing"],
  sessionId: ["string", "nothing"],
  isSidechain: ["boolean", "nothing"],
  isMeta: ["boolean", "nothing"],
  cwd: ["string", "nothing"],
  version: ["string", "nothing"],
  gitBranch: ["string", "nothing"],
};

const MESSAGE_TYPES: Readonly<Record<string, readonly JsonType[]>> = {
  content: ["string", "array"],
  role: ["string", "nothing"],
  id: ["string", "nothing"],
  model: ["string", "nothing"],
  stop_reason: ["string", "null", "nothing"],
  usage: ["object", "null", "nothing"],
};

/** Fields of a message's record that hold another kind of value than clients write. Reading treats them as missing. */
export function wrongTypes(raw: JsonObject): WrongType[] {
  const message = objectAt(raw, "message");
  const isForeignRow = message === undefined && Object.hasOwn(raw, "content");
  const holder = isForeignRow ? wrongIn(raw, { content: MESSAGE_TYPES["content"] ?? [] }, "") : wrongMessage(raw);
  return [...wrongIn(raw, RECORD_TYPES, ""), ...holder, ...wrongBlocks(arrayAt(message ?? raw, "content"))];
}

function wrongMessage(raw: JsonObject): WrongType[] {
  const message = objectAt(raw, "message");
  return message ? wrongIn(message, MESSAGE_TYPES, "message.") : wrongIn(raw, { message: ["object"] }, "");
}

function wrongIn(
  object: JsonObject,
  rules: Readonly<Record<string, readonly JsonType[]>>,
  prefix: string,
): WrongType[] {
  return Object.entries(rules).flatMap(([name, allowed]) => {
    const found = typeOf(Object.hasOwn(object, name) ? valueAt(object, name) : undefined);
    const expected = allowed.filter((type) => type !== "nothing").join(" or ");
    return allowed.includes(found) ? [] : [{ field: prefix + name, expected, found }];
  });
}

function wrongBlocks(blocks: readonly unknown[]): WrongType[] {
  return blocks.flatMap((block, index) =>
    isObject(block) ? [] : [{ field: `content[${index}]`, expected: "object", found: typeOf(block) }],
  );
}

function typeOf(value: unknown): JsonType {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as JsonType;
}
