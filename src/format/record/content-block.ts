import { asObject, asString, isObject, isTrueAt, type JsonObject, numberAt, stringAt, valueAt } from "../json.js";

/** One piece of a message. A block type from the future becomes `other`; `raw` is the block as written. */
export type ContentBlock =
  | { readonly kind: "text"; readonly text: string; readonly raw: unknown }
  | { readonly kind: "thinking"; readonly text: string; readonly signature: string | undefined; readonly raw: unknown }
  | { readonly kind: "redactedThinking"; readonly raw: unknown }
  | ToolCallBlock
  | ToolResultBlock
  | { readonly kind: "image"; readonly mediaType: string | undefined; readonly raw: unknown }
  | { readonly kind: "document"; readonly mediaType: string | undefined; readonly raw: unknown }
  | { readonly kind: "other"; readonly type: string | undefined; readonly raw: unknown };

export interface ToolCallBlock {
  readonly kind: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly isServerSide: boolean; // run by the API itself; its result is in the same message
  readonly raw: unknown;
}

export interface ToolResultBlock {
  readonly kind: "toolResult";
  readonly toolUseId: string;
  readonly text: string;
  readonly isError: boolean;
  readonly images: number;
  readonly raw: unknown;
}

export interface InlineFile {
  readonly mediaType: string;
  readonly base64: string;
}

/** A string is one text block; null, numbers and missing content are no blocks. */
export function toContentBlocks(content: unknown): ContentBlock[] {
  if (typeof content === "string") return [{ kind: "text", text: content, raw: { type: "text", text: content } }];
  return Array.isArray(content) ? content.map(toContentBlock) : [];
}

function toContentBlock(raw: unknown): ContentBlock {
  if (typeof raw === "string") return { kind: "text", text: raw, raw: { type: "text", text: raw } };
  if (!isObject(raw)) return { kind: "other", type: undefined, raw };
  const type = asString(raw["type"]);
  switch (type) {
    case "text":
      return { kind: "text", text: asString(raw["text"]) ?? "", raw };
    case "thinking":
      return { kind: "thinking", text: asString(raw["thinking"]) ?? "", signature: asString(raw["signature"]), raw };
    case "redacted_thinking":
      return { kind: "redactedThinking", raw };
    case "image":
    case "document":
      return { kind: type, mediaType: asString(asObject(raw["source"])?.["media_type"]), raw };
    default:
      return toToolBlock(raw, type) ?? { kind: "other", type, raw };
  }
}

function toToolBlock(raw: JsonObject, type: string | undefined): ContentBlock | undefined {
  const id = asString(raw["id"]);
  if ((type === "tool_use" || type === "server_tool_use") && id !== undefined) {
    const name = asString(raw["name"]) ?? "";
    return { kind: "toolCall", id, name, input: raw["input"], isServerSide: type === "server_tool_use", raw };
  }
  const toolUseId = asString(raw["tool_use_id"]);
  if (type?.endsWith("tool_result") && toolUseId !== undefined) {
    const content = raw["content"];
    const isError = raw["is_error"] === true || (stringAt(content, "type")?.endsWith("_error") ?? false);
    return { kind: "toolResult", toolUseId, text: resultText(content), isError, images: countImages(content), raw };
  }
  return undefined;
}

/** String, array of blocks, null or missing: the text the model saw. */
function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (typeof part === "string" ? part : stringAt(part, "text")))
    .filter((text) => text !== undefined)
    .join("\n");
}

/** What a result holds apart from text, such as images; read on demand, since the block itself only counts them. */
export function otherResultBlocks({ raw }: ToolResultBlock): readonly ContentBlock[] {
  const content = valueAt(raw, "content");
  const parts = (Array.isArray(content) ? content : isObject(content) ? [content] : []).filter(
    (part) => typeof part !== "string" && stringAt(part, "text") === undefined,
  );
  return toContentBlocks(parts);
}

/** The bytes of an image or document block, where it carries them itself. */
export function toInlineFile(raw: unknown): InlineFile | undefined {
  const mediaType = stringAt(raw, "source", "media_type");
  const base64 = stringAt(raw, "source", "data");
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType, base64 };
}

function countImages(content: unknown): number {
  return Array.isArray(content) ? content.filter((part) => stringAt(part, "type") === "image").length : 0;
}

/** What a tool records about its result apart from the text that the model reads. */
export interface ToolResultData {
  readonly agentId: string | undefined;
  /** Where output is kept that was too long for the record. */
  readonly persistedOutput: string | undefined;
  /** Unknown where the result only reports a launch. */
  readonly durationMs: number | undefined;
}

export function toToolResultData(toolUseResult: unknown): ToolResultData {
  const isLaunch = stringAt(toolUseResult, "status") === "async_launched";
  return {
    agentId: stringAt(toolUseResult, "agentId"),
    persistedOutput: stringAt(toolUseResult, "persistedOutputPath"),
    durationMs: isLaunch
      ? undefined
      : (numberAt(toolUseResult, "totalDurationMs") ?? numberAt(toolUseResult, "durationMs")),
  };
}

export function isInterruptedResult(toolUseResult: unknown): boolean {
  return isTrueAt(toolUseResult, "interrupted");
}

/** What a call that launches a sub-agent asks for. */
export interface AgentCall {
  readonly type: string | undefined;
  readonly description: string | undefined;
  readonly prompt: string | undefined;
}

export function toAgentCall(input: unknown): AgentCall {
  return {
    type: stringAt(input, "subagent_type"),
    description: stringAt(input, "description"),
    prompt: stringAt(input, "prompt"),
  };
}
