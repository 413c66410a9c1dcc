import { isInterruptedResult, type ToolResultBlock } from "../../format/record/content-block.js";
import type { UserRecord } from "../../format/record/record.js";

export type ResultStatus = "ok" | "error" | "denied" | "interrupted";
/** `orphan`: no result was recorded, so the outcome is unknown. */
export type ToolStatus = ResultStatus | "orphan";

const REJECTED = "User rejected tool use";
const REJECTED_TEXT = "The user doesn't want to proceed with this tool use";
const DENIED_TEXT =
  /^(Permission to use .+ has been denied|Claude requested permissions to .+ but you haven't granted it)/;
const INTERRUPTED_TEXT = /\[Request interrupted by user for tool use\]\s*$|^\[Tool call interrupted/;

/** What became of a call, from its result's block and the record around it. */
export function toResultStatus(
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

/** Tools that put a question to a person. Their result is the answer; the input of `ExitPlanMode` is the plan to approve. */
const ASKING: ReadonlySet<string> = new Set(["AskUserQuestion", "ExitPlanMode"]);

/**
 * Whether a tool call holds words of a person: the answer to a question, a plan that was put to them, or what they typed when
 * they were asked whether the call may run. Prune leaves such a call and its result as they are, compress keeps the words.
 */
export function holdsPersonsWords({ name, personsWords }: PossibleWords): boolean {
  return asksPerson(name) || personsWords !== null;
}

interface PossibleWords {
  readonly name: string;
  /** What a person typed when they were asked whether the call may run. */
  readonly personsWords: string | null;
}

export function asksPerson(toolName: string): boolean {
  return ASKING.has(toolName);
}
