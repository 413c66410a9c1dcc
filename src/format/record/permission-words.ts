import { stringAt } from "../json.js";
import type { ToolResultBlock } from "./content-block.js";
import type { UserRecord } from "./record.js";

/** How a refusal continues where the user said what to do instead (all versions up to 2.1.326). */
const FEEDBACK = "To tell you how to proceed, the user said:\n";

/** Texts that Claude Code puts next to a result. */
const NOT_TYPED = /^(?:<system-reminder>|<fork-boilerplate>|\[Request interrupted by user)/;

/**
 * What a person typed when Claude Code asked whether a call may run. A refusal has the words in its result, since 2.1.326 in
 * `userFeedback` too; an approval, and the result of an interrupted call, may have them as a text next to the result.
 */
export function permissionWords(record: UserRecord, result: ToolResultBlock): string | undefined {
  const feedback = stringAt(record.raw, "userFeedback");
  if (feedback?.trim()) return feedback;
  const at = result.isError ? result.text.indexOf(FEEDBACK) : -1;
  if (at >= 0) return result.text.slice(at + FEEDBACK.length);
  if (record.raw["holdsPersonsWords"] === true) return result.text;
  return result.isError || isApprovedByPerson(record) ? textBeside(record) : undefined;
}

function isApprovedByPerson({ raw }: UserRecord): boolean {
  const isAccepted = stringAt(raw, "permissionDecision", "decision") === "accept";
  return isAccepted && (stringAt(raw, "permissionDecision", "source")?.startsWith("user") ?? false);
}

function textBeside({ blocks }: UserRecord): string | undefined {
  const texts = blocks.flatMap((block) => (block.kind === "text" ? block.text.trim() : []));
  return texts.filter((text) => text !== "" && !NOT_TYPED.test(text)).join("\n") || undefined;
}
