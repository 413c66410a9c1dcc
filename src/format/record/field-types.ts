import { arrayAt, isObject, type JsonObject, objectAt, valueAt } from "../json.js";

export interface WrongType {
  readonly field: string;
  readonly expected: string;
  readonly found: string;
}

type JsonType = "string" | "number" | "boolean" | "object" | "array" | "null" | "nothing";

interface FieldRule {
  readonly name: string;
  readonly allowed: readonly JsonType[];
}

const RECORD_RULES = toRules({
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
});

const MESSAGE_RULES = toRules({
  content: ["string", "array"],
  role: ["string", "nothing"],
  id: ["string", "nothing"],
  model: ["string", "nothing"],
  stop_reason: ["string", "null", "nothing"],
  usage: ["object", "null", "nothing"],
});

const NO_MESSAGE_RULES = toRules({ message: ["object"] });
/** Rows of other writers carry the content themselves. */
const BARE_CONTENT_RULES = toRules({ content: ["string", "array"] });

function toRules(rules: Readonly<Record<string, readonly JsonType[]>>): FieldRule[] {
  return Object.entries(rules).map(([name, allowed]) => ({ name, allowed }));
}

/** Fields of a message's record that hold another type of value than Claude Code writes. Reading treats them as missing. */
export function wrongTypes(raw: JsonObject): WrongType[] {
  const message = objectAt(raw, "message");
  const bareRules = Object.hasOwn(raw, "content") ? BARE_CONTENT_RULES : NO_MESSAGE_RULES;
  return [
    ...wrongFields(raw, RECORD_RULES, ""),
    ...(message ? wrongFields(message, MESSAGE_RULES, "message.") : wrongFields(raw, bareRules, "")),
    ...wrongBlocks(arrayAt(message ?? raw, "content")),
  ];
}

function wrongFields(object: JsonObject, rules: readonly FieldRule[], prefix: string): WrongType[] {
  const wrong: WrongType[] = [];
  for (const { name, allowed } of rules) {
    const found = typeOf(valueAt(object, name));
    if (allowed.includes(found)) continue;
    const expected = allowed.filter((type) => type !== "nothing").join(" or ");
    wrong.push({ field: prefix + name, expected, found });
  }
  return wrong;
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
