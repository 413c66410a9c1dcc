import type { ToolResultBlock } from "../format/content-block.js";
import type { UserRecord } from "../format/record.js";
import { isInterruptedResult } from "../format/tool-result-data.js";

export type ResultStatus = "ok" | "error" | "denied" | "interrupted";
/** `orphan`: no result was recorded, so the outcome is unknown. */
export type ToolStatus = ResultStatus | "orphan";

const REJECTED = "User rejected tool use";
const REJECTED_TEXT = "The user doesn't want to proceed with this tool use";
const DENIED_TEXT =
  /^(Permission to use .+ has been denied|Claude requested permissions to .+ but you haven't granted it)/;
const INTERRUPTED_TEXT = /\[Request interrupted by user for tool use\]\s*$|^\[Tool call interrupted/;

/** What became of a call, from its result's block and the record around it. */
export function judgeResult(
  block: Pick<ToolResultBlock, "text" | "isError">,
  record: Pick<UserRecord, "toolDenialKind" | "toolUseResult">,
): ResultStatus {
  if (record.toolDenialKind === "interrupted" || isInterruptedResult(record.toolUseResult)) return "interrupted";
  if (!block.isError) return "ok";
  if (record.toolDenialKind !== undefined || isDenial(block.text, record.toolUseResult)) return "denied";
  return INTERRUPTED_TEXT.test(block.text) ? "interrupted" : "error";
}

function isDenial(text: string, toolUseResult: unknown): boolean {
  return toolUseResult === REJECTED || text.startsWith(REJECTED_TEXT) || DENIED_TEXT.test(text);
}
