import type { TurnResult } from "../../agent/chat.js";
import { whyEnded } from "../../agent/why-ended.js";
import { formatCount } from "../../render/format-values.js";
import { describeModelError } from "../describe-model-error.js";

/** Why a turn ended, and what can be done; undefined where the model was done. */
export function describeEnd({ end, error, turns }: TurnResult): string | undefined {
  if (error) return `${whyEnded(end)}: ${describeModelError(error)}`;
  if (end === "max-turns") return `stopped after ${formatCount(turns, "answer")} (--max-turns)`;
  return end === "max-cost" ? `${whyEnded(end)} (--max-cost)` : whyEnded(end);
}
