import type { ApiBlock, ApiMessage } from "../../../src/format/record/api-message.js";
import { isObject, stringAt, valueAt } from "../../oracle/json-at.js";

type Check = (messages: readonly ApiMessage[]) => string[];

/** What the Messages API would refuse in a `messages` array, and what this house forbids besides. */
export function apiProblems(messages: readonly ApiMessage[]): string[] {
  return CHECKS.flatMap((check) => check(messages));
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text", "citations"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  tool_use: ["type", "id", "name", "input", "caller"],
  tool_result: ["type", "tool_use_id", "content", "is_error"],
  image: ["type", "source"],
  document: ["type", "source", "title", "context", "citations"],
  search_result: ["type", "source", "title", "content", "citations"],
  container_upload: ["type", "file_id"],
  tool_reference: ["type", "tool_name"],
};
const INPUT_TYPES = new Set(["text", "image", "document", "search_result", "container_upload", "tool_result"]);
const RESULT_TYPES = new Set(["text", "image", "document", "search_result", "tool_reference", "container_upload"]);
const INPUT_ONLY_TYPES = new Set(["image", "document", "search_result", "container_upload", "tool_result"]);

/** A message of role system stands after a user's and is no turn of its own. */
const checkRoles: Check = (messages) => {
  const turns = messages.filter(({ role }) => role !== "system");
  return [
    ...(messages.length > 0 && messages[0]?.role !== "user" ? ["the first message is not the user's"] : []),
    ...turns.flatMap(({ role }, at) =>
      turns[at - 1]?.role === role ? [`turn ${at} has the role of the one before`] : [],
    ),
    ...messages.flatMap(({ role }, at) =>
      role === "system" && messages[at - 1]?.role !== "user" ? [`message ${at}: system without user before it`] : [],
    ),
  ];
};

const checkMessages: Check = (messages) =>
  messages.flatMap((message, at) => [
    ...(Object.keys(message).toSorted().join() === "content,role" ? [] : [`message ${at} has extra fields`]),
    ...(Array.isArray(message.content) && message.content.length > 0 ? [] : [`message ${at} is empty`]),
    ...message.content.flatMap((block, index) =>
      blockProblems(block, message.role).map((problem) => `message ${at} block ${index}: ${problem}`),
    ),
  ]);

function blockProblems(block: ApiBlock, role: ApiMessage["role"]): string[] {
  if (!isObject(block) || typeof block["type"] !== "string") return ["not a block"];
  const { type } = block;
  const isMisplaced =
    role === "assistant" ? INPUT_ONLY_TYPES.has(type) : role === "user" ? !INPUT_TYPES.has(type) : type !== "text";
  return [
    ...(isMisplaced ? [`${type} in a message of role ${role}`] : []),
    ...(Object.hasOwn(block, "cache_control") ? ["cache_control"] : []),
    ...extraFields(block),
    ...contentProblems(block),
  ];
}

function extraFields(block: ApiBlock): string[] {
  const known = FIELDS[block.type];
  return known
    ? Object.keys(block)
        .filter((key) => !known.includes(key))
        .map((key) => `extra field ${key}`)
    : [];
}

function contentProblems(block: ApiBlock): string[] {
  const need = (isMet: boolean, problem: string) => (isMet ? [] : [problem]);
  switch (block.type) {
    case "text":
      return need((stringAt(block, "text") ?? "").trim() !== "", "empty text");
    case "thinking":
      return need(typeof block["thinking"] === "string" && Boolean(stringAt(block, "signature")), "unsigned thinking");
    case "redacted_thinking":
      return need(typeof block["data"] === "string", "redacted_thinking without data");
    case "image":
    case "document":
      return need(Boolean(stringAt(block, "source", "type")), `${block.type} without source`);
    case "tool_use":
      return [
        ...need(/^[a-zA-Z0-9_-]+$/.test(stringAt(block, "id") ?? ""), "bad id"),
        ...need(/^[a-zA-Z0-9_-]{1,128}$/.test(stringAt(block, "name") ?? ""), "bad name"),
        ...need(isObject(block["input"]), "input is no object"),
      ];
    case "tool_result":
      return resultProblems(block);
    default:
      return [];
  }
}

function resultProblems(block: ApiBlock): string[] {
  const content = block["content"];
  if (block["is_error"] === true && !content) return ["an error without content"];
  if (content === undefined || typeof content === "string") return [];
  if (!Array.isArray(content) || content.length === 0) return ["result content is neither text nor blocks"];
  return (content as ApiBlock[]).flatMap((part) => [
    ...(RESULT_TYPES.has(part.type) ? [] : [`${part.type} in a result`]),
    ...(block["is_error"] === true && part.type !== "text" ? ["an error with something else than text"] : []),
    ...(Object.hasOwn(part, "cache_control") ? ["cache_control"] : []),
    ...extraFields(part),
    ...contentProblems(part),
  ]);
}

/** Every call has one result, in the next message, before anything else, in the order of the calls. */
const checkPairs: Check = (messages) => {
  const turns = messages.filter(({ role }) => role !== "system");
  const ids = turns.flatMap(callIds);
  return [
    ...(new Set(ids).size === ids.length ? [] : ["a call id occurs twice"]),
    ...turns.flatMap((turn, at) => {
      const before = turns[at - 1];
      const asked = before?.role === "assistant" ? callIds(before) : [];
      const first = turn.content.slice(0, asked.length).map((block) => stringAt(block, "tool_use_id"));
      const later = turn.content.slice(asked.length).filter(({ type }) => type === "tool_result");
      const isAnswered = asked.join("\n") === first.join("\n");
      return [
        ...(isAnswered ? [] : [`turn ${at}: results do not fit the calls before`]),
        ...(turn.role === "user" && later.length > 0 ? [`turn ${at}: results that nobody asked for`] : []),
      ];
    }),
    ...(callIds(turns.at(-1)).length > 0 ? ["the last calls have no results"] : []),
  ];
};

function callIds(message: ApiMessage | undefined): string[] {
  return (message?.content ?? []).filter(({ type }) => type === "tool_use").map((block) => stringAt(block, "id") ?? "");
}

/** An answer ends with something else than thinking, and holds the results of what the API ran itself. */
const checkAnswers: Check = (messages) =>
  messages.flatMap(({ role, content }, at) => {
    if (role !== "assistant") return [];
    const called = content.filter(({ type }) => type.endsWith("_tool_use")).map((block) => stringAt(block, "id"));
    const given = content
      .filter(({ type }) => type.endsWith("tool_result"))
      .map((block) => stringAt(block, "tool_use_id"));
    return [
      ...(content.at(-1)?.type.endsWith("thinking") ? [`message ${at} ends with thinking`] : []),
      ...(called.toSorted().join("\n") === given.toSorted().join("\n")
        ? []
        : [`message ${at}: server results missing`]),
    ];
  });

/** A strict JSON parser refuses half characters. */
const checkText: Check = (messages) => (hasLoneSurrogate(messages) ? ["a string with half a character"] : []);

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return /\p{Surrogate}/u.test(value);
  if (Array.isArray(value)) return value.some(hasLoneSurrogate);
  return (
    isObject(value) && Object.keys(value).some((key) => hasLoneSurrogate(key) || hasLoneSurrogate(valueAt(value, key)))
  );
}

const CHECKS: readonly Check[] = [checkRoles, checkMessages, checkPairs, checkAnswers, checkText];
