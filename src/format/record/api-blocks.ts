import { isObject, type JsonObject, stringAt, toWellFormed, valueAt } from "../json.js";
import { type ApiBlock, textBlock } from "./api-message.js";
import type { ContentBlock, ToolCallBlock, ToolResultBlock } from "./content-block.js";

/** Why a block was changed or cannot be sent. */
type BlockProblem =
  | "empty-text"
  | "unsigned-thinking"
  | "misplaced-block" // of a kind that the API does not take from this role
  | "unusable-block" // lacks what the API requires of it
  | "repaired-text"
  | "repaired-input"
  | "repaired-result"
  | "renamed-tool";

/** A block made ready for the API; without `block` it cannot be sent at all. */
export interface PreparedBlock {
  readonly block: ApiBlock | undefined;
  readonly problems: readonly BlockProblem[];
}

type FieldsByType = Readonly<Record<string, readonly string[]>>;

/** What the API takes of each type that a user message may hold. A cache_control mark belongs to one request only. */
const USER_FIELDS: FieldsByType = {
  text: ["type", "text", "citations"],
  image: ["type", "source"],
  document: ["type", "source", "title", "context", "citations"],
  search_result: ["type", "source", "title", "content", "citations"],
  container_upload: ["type", "file_id"],
};

const SOURCE_FIELDS = ["type", "media_type", "data", "url", "file_id", "content"];

/** A block of a user message; results of tool calls have their own way. */
export function toUserBlock({ kind, raw }: ContentBlock): PreparedBlock {
  if (kind === "toolCall" || kind === "toolResult" || kind === "thinking" || kind === "redactedThinking") {
    return refuse("misplaced-block");
  }
  return prepareInput(raw, USER_FIELDS);
}

/** `fieldsOf` lists the types that are allowed at this place, and their fields. */
function prepareInput(raw: unknown, fieldsOf: FieldsByType): PreparedBlock {
  const type = stringAt(raw, "type") ?? "";
  const fields = Object.hasOwn(fieldsOf, type) ? fieldsOf[type] : undefined;
  if (!isObject(raw) || !fields) return refuse("unusable-block");
  if (type === "text") return prepareText(raw);
  const source = valueAt(raw, "source");
  if ((type === "image" || type === "document") && !isUsableSource(source, MEDIA_TYPES[type])) {
    return refuse("unusable-block");
  }
  const picked = pick(raw, fields);
  return toWellFormedBlock({ ...picked, type, ...(isObject(source) ? { source: pick(source, SOURCE_FIELDS) } : {}) });
}

/** Text of nothing but white space is refused. */
function prepareText(raw: JsonObject): PreparedBlock {
  const text = stringAt(raw, "text") ?? "";
  if (text.trim() === "") return refuse("empty-text");
  const citations = raw["citations"] ?? undefined;
  return toWellFormedBlock(citations === undefined ? textBlock(text) : { type: "text", text, citations });
}

const MEDIA_TYPES: Readonly<Record<"image" | "document", readonly (string | undefined)[]>> = {
  image: ["image/jpeg", "image/png", "image/gif", "image/webp"],
  document: ["application/pdf", "text/plain"],
};

function isUsableSource(source: unknown, mediaTypes: readonly (string | undefined)[]): boolean {
  switch (stringAt(source, "type")) {
    case "base64":
    case "text":
      return mediaTypes.includes(stringAt(source, "media_type")) && Boolean(stringAt(source, "data"));
    case "url":
      return Boolean(stringAt(source, "url"));
    case "file":
      return Boolean(stringAt(source, "file_id"));
    case "content":
      return valueAt(source, "content") !== undefined;
    default:
      return false;
  }
}

/** A block of an assistant message. What the API itself wrote goes back as it came; thinking is signed, never edited. */
export function toAnswerBlock({ kind, raw }: ContentBlock): PreparedBlock {
  if (!isObject(raw)) return refuse("unusable-block");
  switch (kind) {
    case "text":
      return prepareText(raw);
    case "thinking":
      return prepareThinking(raw);
    case "redactedThinking":
      return stringAt(raw, "data")
        ? verbatim({ type: "redacted_thinking", data: raw["data"] })
        : refuse("unusable-block");
    default:
      return prepareOwnBlock(raw);
  }
}

/** What the API wrote itself, today or in a version to come. */
function prepareOwnBlock(raw: JsonObject): PreparedBlock {
  const type = stringAt(raw, "type") ?? "";
  if (Object.hasOwn(USER_FIELDS, type)) return refuse("misplaced-block");
  const key = type.endsWith("tool_use") ? "id" : type.endsWith("tool_result") ? "tool_use_id" : "type";
  if (!stringAt(raw, key)) return refuse("unusable-block");
  return toWellFormedBlock({ type, ...withoutMark(raw) });
}

function withoutMark({ cache_control: _mark, ...rest }: JsonObject): JsonObject {
  return rest;
}

function prepareThinking(raw: JsonObject): PreparedBlock {
  if (!stringAt(raw, "signature")) return refuse("unsigned-thinking");
  if (stringAt(raw, "thinking") === undefined) return refuse("unusable-block");
  return verbatim({ type: "thinking", thinking: raw["thinking"], signature: raw["signature"] });
}

function verbatim(block: ApiBlock): PreparedBlock {
  return toWellFormed(block).wasChanged ? refuse("unusable-block") : { block, problems: [] };
}

function pick(raw: JsonObject, fields: readonly string[]): JsonObject {
  const kept = fields.filter((field) => Object.hasOwn(raw, field) && raw[field] !== null);
  return Object.fromEntries(kept.map((field) => [field, raw[field]]));
}

function refuse(problem: BlockProblem): PreparedBlock {
  return { block: undefined, problems: [problem] };
}

/** Replaces lone surrogates, so that the request is JSON for every parser. */
function toWellFormedBlock(block: ApiBlock): PreparedBlock {
  const { value, wasChanged } = toWellFormed(block);
  return wasChanged
    ? { block: { ...(isObject(value) ? value : {}), type: block.type }, problems: ["repaired-text"] }
    : { block, problems: [] };
}

/** A call of a tool that Claude Code runs, under an id that is unique in the request. */
export function toCallBlock({ raw, name, input }: ToolCallBlock, id: string): PreparedBlock {
  const apiName = toToolName(name);
  const caller = valueAt(raw, "caller");
  const call = { type: "tool_use", id, name: apiName, input: isObject(input) ? input : toInput(input) };
  const mended = toWellFormedBlock(isObject(caller) ? { ...call, caller } : call);
  if (apiName === name && isObject(input)) return mended;
  return {
    block: mended.block,
    problems: [
      ...mended.problems,
      ...(apiName === name ? [] : (["renamed-tool"] as const)),
      ...(isObject(input) ? [] : (["repaired-input"] as const)),
    ],
  };
}

const MAX_NAME = 128;

function toToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_NAME) || "unknown_tool";
}

function toInput(input: unknown): JsonObject {
  return input === undefined || input === null ? {} : { value: input };
}

/** An id that the API takes: ids of other back ends may hold any character. */
export function toCallId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_") || "call";
}

/** A result that Claude Code sent, not one that the API wrote into the assistant message. */
export function isClientResult(block: ContentBlock): block is ToolResultBlock {
  return block.kind === "toolResult" && stringAt(block.raw, "type") === "tool_result";
}

/** The id of a call that the API ran itself; its result must be in the same message. */
export function serverCallId(block: ContentBlock): string | undefined {
  if (block.kind === "toolCall") return block.isServerSide ? block.id : undefined;
  const isCall = block.kind === "other" && block.type?.endsWith("_tool_use");
  return isCall ? stringAt(block.raw, "id") : undefined;
}

export function toResultBlock({ raw }: ToolResultBlock, id: string): PreparedBlock {
  const flag = valueAt(raw, "is_error");
  const { content, problems } = prepareResultContent(valueAt(raw, "content"), flag === true);
  const block: { type: string; [field: string]: unknown } = { type: "tool_result", tool_use_id: id };
  if (content !== undefined) block["content"] = content;
  if (typeof flag === "boolean") block["is_error"] = flag;
  const mended = toWellFormedBlock(block);
  return problems.length === 0 ? mended : { block: mended.block, problems: [...mended.problems, ...problems] };
}

interface ResultContent {
  readonly content: string | readonly ApiBlock[] | undefined;
  readonly problems: readonly BlockProblem[];
}

const RESULT_FIELDS: FieldsByType = { ...USER_FIELDS, tool_reference: ["type", "tool_name"] };
/** "all content must be type `text` if `is_error` is true" */
const ERROR_FIELDS: FieldsByType = { text: ["type", "text", "citations"] };

/** "content cannot be empty if `is_error` is true" */
const SILENT_ERROR = "(The tool failed without a message.)";

function prepareResultContent(content: unknown, isError: boolean): ResultContent {
  const prepared = toResultContent(content, isError);
  const isEmpty = prepared.content === undefined || prepared.content === "";
  if (!isError || !isEmpty) return prepared;
  return { content: SILENT_ERROR, problems: [...prepared.problems, "repaired-result"] };
}

function toResultContent(content: unknown, isError: boolean): ResultContent {
  if (typeof content === "string") return { content, problems: [] };
  if (content === undefined || content === null) return { content: undefined, problems: [] };
  if (!Array.isArray(content)) {
    return { content: JSON.stringify(toWellFormed(content).value), problems: ["repaired-result"] };
  }
  const parts = content.map((part: unknown) =>
    prepareInput(typeof part === "string" ? textBlock(part) : part, isError ? ERROR_FIELDS : RESULT_FIELDS),
  );
  const blocks = parts.flatMap(({ block }) => block ?? []);
  return { content: blocks.length > 0 ? blocks : undefined, problems: parts.flatMap(({ problems }) => problems) };
}
