/** How a turn relates to the one before it; a label that changes nothing. */
export type Round = "new_session" | "continue" | "resume" | "new_round";

export interface RoundInput {
  readonly kind: string; // of the turn
  readonly startedAt: number | undefined; // ms since the epoch
  readonly previousEnd: number | undefined;
  readonly isFirst: boolean;
}

const DEFAULT_ROUND_GAP_MINUTES = 5;

export function labelRound(turn: RoundInput, gapMinutes = DEFAULT_ROUND_GAP_MINUTES): Round {
  if (turn.isFirst) return "new_session";
  if (turn.kind === "notification") return "continue";
  const gap = (turn.startedAt ?? Number.NaN) - (turn.previousEnd ?? Number.NaN);
  return gap > gapMinutes * 60_000 ? "resume" : "new_round";
}
