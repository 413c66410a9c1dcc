import { type TurnResult, whyEnded } from "../../agent/conversation/chat.js";
import type { ModelError, ModelErrorKind } from "../../agent/model/model.js";
import { formatCount } from "../../render/format-values.js";

/** Why a turn ended early, and what to do; undefined: the model was done. */
export function describeEnd({ end, error, turns }: TurnResult): string | undefined {
  if (error) return `${whyEnded(end)}: ${describeModelError(error)}`;
  if (end === "max-turns") return `stopped after ${formatCount(turns, "answer")} (--max-turns)`;
  if (end === "max-tokens") return `${whyEnded(end)} (--max-tokens-total)`;
  return end === "max-cost" ? `${whyEnded(end)} (--max-cost)` : whyEnded(end);
}

const HINTS: Readonly<Partial<Record<ModelErrorKind, string>>> = {
  authentication: "check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN",
  connection: "check the network, and ANTHROPIC_BASE_URL if it is set",
  "rate-limit": "wait a while, or use another key",
  overloaded: "try again later; resume the session with --resume",
  server: "try again later; resume the session with --resume",
  "too-long": "/compact, or --compact-at with a smaller number, makes room",
};

/** The error, and on the next line what to do. */
function describeModelError({ kind, message, status }: ModelError): string {
  const hint = HINTS[kind] ?? (status === 404 ? "choose another one with --model or /model" : undefined);
  return hint === undefined ? message : `${message}\n  ${hint}`;
}
