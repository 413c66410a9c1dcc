import type { JsonObject } from "../json.js";

/** One entry of the `messages` array of a request to the Messages API. */
export interface ApiMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly ApiBlock[];
}

/** A content block as the API takes it, with no field that it would refuse. */
export interface ApiBlock extends JsonObject {
  readonly type: string;
}

export interface ApiTextBlock extends ApiBlock {
  readonly type: "text";
  readonly text: string;
}

export function textBlock(text: string): ApiTextBlock {
  return { type: "text", text };
}

export function isTextBlock(block: ApiBlock | undefined): block is ApiTextBlock {
  return block?.type === "text";
}

/** Stands in for a result that was never recorded. */
export function missingResult(id: string): ApiBlock {
  return { type: "tool_result", tool_use_id: id, content: MISSING_RESULT, is_error: true };
}

const MISSING_RESULT = "[The tool call was interrupted: no result was recorded, so its outcome is unknown.]";
