import { neutralize } from "../../render/safe-text.js";
import type { ChangeStep } from "../../server/api/changes.js";
import type { SessionAnswer } from "../../server/api/session.js";
import { sessionPath } from "../router.js";
import { agentAnchor, callAnchor, INSIDE } from "../session/show-target.js";

/** From changes to the turns and calls that made them. */
export interface TurnLinks {
  /** Address of a turn, or of a call in it. */
  pathTo(turn: number, anchor?: string): string;
  pathToStep(step: ChangeStep): string;
  promptOf(turn: number): string;
  /** The turn that was at work at a time; undefined before the first. */
  turnAt(timestamp: string | null): number | undefined;
}

export function createTurnLinks({ header: { id }, turns }: SessionAnswer, branch: string | null): TurnLinks {
  const pathTo = (turn: number, anchor = "") => sessionPath(id, { turn: Math.max(1, turn), anchor, branch });
  return {
    pathTo,
    pathToStep: (step) => pathTo(step.turn, stepAnchor(step)),
    promptOf: (turn) => neutralize(turns[turn - 1]?.prompt ?? ""),
    turnAt: (timestamp) =>
      timestamp === null
        ? undefined
        : turns.findLast(({ startedAt }) => startedAt !== null && startedAt <= timestamp)?.index,
  };
}

/** The anchor of the call in its turn, as the text has it. */
export function stepAnchor({ agentId, callId }: ChangeStep): string {
  return [agentId === null ? [] : agentAnchor(agentId), callId === null ? [] : callAnchor(callId)].flat().join(INSIDE);
}
