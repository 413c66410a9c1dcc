/** How much is left of a turn: `light` every answer and call in short, `heavy` the last answer and which tools ran. */
export type CompressLevel = "light" | "heavy";

/** A part of the turns, in per cent from the first to the last. */
export interface Band {
  readonly from: number;
  readonly to: number;
  readonly level: CompressLevel;
}

export interface CompressOptions {
  /** Of several that overlap the first counts; `DEFAULT_BANDS` unless said. */
  readonly bands?: readonly Band[] | undefined;
  /** Names and inputs of all tool calls stay, their results go. */
  readonly keepCalls?: boolean | undefined;
  /** Each turn is condensed in its place, instead of one summary of all. */
  readonly perTurn?: boolean | undefined;
  /** Written as a `summary` record besides. */
  readonly summaryTitle?: string | undefined;
  /** What `summarizeTurns` made of turns, by their number. */
  readonly summaries?: ReadonlyMap<number, string> | undefined;
  /** Turns that keep all they have. */
  readonly untouched?: ReadonlySet<number> | undefined;
}

export const DEFAULT_BANDS: readonly Band[] = [
  { from: 0, to: 60, level: "heavy" },
  { from: 60, to: 85, level: "light" },
];
