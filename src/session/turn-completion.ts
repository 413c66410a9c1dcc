import type { CallSketch } from "./call-sketch.js";
import type { MessageSketch } from "./session-message.js";
import type { TurnSketch } from "./sketch-turns.js";

const FINAL_STOP_REASONS: ReadonlySet<string> = new Set(["end_turn", "stop_sequence", "refusal", "max_tokens"]);

/** Whether the last turn of a session is over: something in it says so, or the session itself has ended. */
export function isTurnComplete(
  { nodes }: TurnSketch,
  calls: ReadonlyMap<string, CallSketch>,
  messages: ReadonlyMap<string, MessageSketch>,
  isLive: boolean,
): boolean {
  if (!isLive || nodes.some(({ role }) => role === "turnDuration" || role === "interrupt")) return true;
  const last = nodes.findLast(({ message }) => message !== undefined);
  const stopReason = messages.get(last?.message ?? "")?.stopReason;
  const hasOpenCall = nodes.some(({ calls: own = [] }) => own.some(({ id }) => calls.get(id)?.status === "orphan"));
  return stopReason !== undefined && FINAL_STOP_REASONS.has(stopReason) && !hasOpenCall;
}
