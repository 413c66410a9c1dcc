import { stringAt } from "../../format/json.js";
import { isInterruptedResult, type ToolResultBlock } from "../../format/record/content-block.js";
import { type PersonsWords, PLAN_TOOL } from "../../format/record/persons-words.js";
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

/** Who or what kept a call from running. `settings`: it was neither allowed nor could a person be asked. */
export type Denial =
  | "user"
  | "rule"
  | "settings"
  | "hook"
  | "autoMode"
  | "autoModeUnavailable"
  | "interrupted"
  | "cancelled";

const DENIALS: Readonly<Record<string, Denial>> = {
  "permission-rule": "rule",
  "automode-blocked": "autoMode",
  "automode-unavailable": "autoModeUnavailable",
  "automode-parsing-error": "autoModeUnavailable",
  interrupted: "interrupted",
  cancelled: "cancelled",
};

/** Null for a call that ran. Without a terminal, 2.1.326 notes `user-rejected` for what no person was asked: the decision's source says more. */
export function toDenial(
  block: Pick<ToolResultBlock, "text" | "isError">,
  record: Pick<UserRecord, "toolDenialKind" | "toolUseResult" | "raw">,
): Denial | null {
  const status = toResultStatus(block, record);
  if (status === "interrupted") return "interrupted";
  if (status !== "denied") return null;
  const { toolDenialKind = "" } = record;
  const noted = Object.hasOwn(DENIALS, toolDenialKind) ? DENIALS[toolDenialKind] : undefined;
  if (noted) return noted;
  const source = stringAt(record.raw, "permissionDecision", "source") ?? "";
  if (source.startsWith("user")) return "user";
  if (source.includes("hook")) return "hook";
  if (source !== "") {
    return stringAt(record.raw, "permissionDecision", "reasonType") === "rule" ? "rule" : "settings";
  }
  if (toolDenialKind !== "" || !DENIED_TEXT.test(block.text)) return "user";
  return block.text.startsWith("Permission") ? "rule" : "settings";
}

/** The message of a refusal without what Claude Code tells the model: who refused it and what they said is shown beside it. */
export function refusalText(text: string, words: readonly PersonsWords[]): string {
  const rest = words.reduce((left, said) => left.replace(said.text, () => ""), text).trim();
  return rest.startsWith(REJECTED_TEXT) && !rest.includes("\n") ? "" : rest;
}

function isDenial(text: string, toolUseResult: unknown): boolean {
  return toolUseResult === REJECTED || text.startsWith(REJECTED_TEXT) || DENIED_TEXT.test(text);
}

/** Tools that put a question to a person. Their result is the answer; the input of `ExitPlanMode` is the plan to approve. */
const ASKING: ReadonlySet<string> = new Set(["AskUserQuestion", PLAN_TOOL]);

/**
 * Whether a tool call holds words of a person: the answer to a question, a plan that was put to them, or what they typed when
 * they were asked whether the call may run. Prune leaves such a call and its result as they are, compress keeps the words.
 */
export function holdsPersonsWords({ name, personsWords }: PossibleWords): boolean {
  return asksPerson(name) || personsWords.length > 0;
}

interface PossibleWords {
  readonly name: string;
  readonly personsWords: readonly PersonsWords[];
}

export function asksPerson(toolName: string): boolean {
  return ASKING.has(toolName);
}
