/** Two sessions, or two branches of one, turn by turn. */
export interface SessionDiff {
  readonly a: DiffSide;
  readonly b: DiffSide;
  readonly turns: readonly TurnPair[];
}

export interface DiffSide {
  readonly id: string;
  readonly title: string | null;
  readonly turns: number;
  readonly tokens: number;
}

export type TurnPart = "prompt" | "answer" | "tools" | "files" | "tokens";

export interface TurnPair {
  /** `same`: in all its parts. */
  readonly kind: "same" | "changed" | "onlyA" | "onlyB";
  readonly a: DiffTurn | null;
  readonly b: DiffTurn | null;
  readonly differs: readonly TurnPart[];
}

/** What is compared of a turn. */
export interface DiffTurn {
  readonly index: number; // 1-based
  readonly uuid: string | null;
  readonly prompt: string;
  readonly answer: string;
  readonly tools: readonly string[]; // name, summary and how it ended
  readonly files: readonly string[]; // that it wrote or edited
  readonly tokens: number;
}
