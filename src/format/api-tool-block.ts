import {
  type BlockProblem,
  type FieldsByType,
  mend,
  type PreparedBlock,
  prepareInput,
  USER_FIELDS,
} from "./api-block.js";
import { type ApiBlock, textBlock } from "./api-message.js";
import type { ContentBlock, ToolCallBlock, ToolResultBlock } from "./content-block.js";
import { isObject, type JsonObject, stringAt, valueAt } from "./json.js";
import { toWellFormed } from "./well-formed.js";

/** A call of a tool that the client runs, under an id that is unique in the request. */
export function toCallBlock({ raw, name, input }: ToolCallBlock, id: string): PreparedBlock {
  const apiName = toToolName(name);
  const caller = valueAt(raw, "caller");
  const call = { type: "tool_use", id, name: apiName, input: isObject(input) ? input : toInput(input) };
  const mended = mend(isObject(caller) ? { ...call, caller } : call);
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

/** A result that the client gave, not one that the API wrote into the assistant message. */
export function isClientResult(block: ContentBlock): block is ToolResultBlock {
  return block.kind === "toolResult" && stringAt(block.raw, "type") === "tool_result";
}

/** The id of a call that the API ran itself; its result must stand in the same message. */
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
  const mended = mend(block);
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
