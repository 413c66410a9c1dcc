import { type BudgetAnswer, type BudgetEvent, checkBudgets } from "../../../app/budget/check-budgets.js";
import { stringAt, tryParseJson } from "../../../format/json.js";
import { neutralize } from "../../../render/safe-text.js";
import type { Io } from "../../io.js";
import { startDetached } from "../../start-detached.js";
import { printedLine } from "../../terminal/printed-json.js";

/** Answers Claude Code when it asks before a prompt or a tool call; false: this is another event. */
export async function answerBudgetHook(text: string, io: Io): Promise<boolean> {
  const event = toEvent(tryParseJson(text));
  if (!event) return false;
  const answer = await checkBudgets(event, io, { start: () => startDetached(["budget", "refresh"], io) });
  if (answer.kind !== "silent") await io.stdout(printedLine(toOutput(event, answer), io));
  return true;
}

const KINDS: Readonly<Record<string, BudgetEvent["kind"]>> = { UserPromptSubmit: "prompt", PreToolUse: "tool" };

function toEvent(input: unknown): BudgetEvent | undefined {
  const kind = KINDS[stringAt(input, "hook_event_name") ?? ""];
  const transcript = stringAt(input, "transcript_path");
  if (!kind || !transcript) return undefined;
  return {
    kind,
    transcript,
    session: stringAt(input, "session_id") ?? transcript,
    cwd: stringAt(input, "cwd") ?? null,
  };
}

/** In the words of Claude Code's hooks (2.1.326). A tool call is denied too, for versions that would go on. */
function toOutput({ kind }: BudgetEvent, answer: BudgetAnswer): object {
  const text = neutralize(answer.text).replaceAll("\n", " ");
  if (answer.kind === "tell") return { systemMessage: text };
  if (kind === "prompt") return { decision: "block", reason: text };
  const denied = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: text };
  return { continue: false, stopReason: text, hookSpecificOutput: denied };
}
