import type { DiffTurn, TurnPair } from "../../edit/diff/diff-sessions.js";
import type { Usage } from "../../session/messages/usage.js";
import type { Failures } from "../../session/totals.js";

/** `GET /api/compare?a=&b=&branchA=&branchB=`: two sessions, or two branches of one, turn by turn. */
export interface CompareAnswer {
  readonly a: CompareSide;
  readonly b: CompareSide;
  readonly turns: readonly ComparedPair[];
  /** Very long texts were shortened. */
  readonly isCut: boolean;
  /** The equivalent command; null where there is none. */
  readonly command: string | null;
}

export interface CompareSide extends Failures {
  readonly id: string;
  readonly title: string;
  readonly project: string | null;
  readonly branch: string | null; // null: the active branch
  readonly models: readonly string[];
  readonly startedAt: string | null;
  readonly turns: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  /** Written or edited. */
  readonly files: readonly string[];
  /** Of the turns of the branch. */
  readonly usage: Usage;
  readonly costUsd: number | null;
  /** Records that a compaction names and that the branch does not have. */
  readonly missingPreserved: number;
}

/** Turns without any difference have a prompt, but no answer and no tools. */
export interface ComparedPair extends Omit<TurnPair, "a" | "b"> {
  readonly a: PairedTurn | null;
  readonly b: PairedTurn | null;
}

export interface PairedTurn extends Omit<DiffTurn, "uuid"> {
  readonly costUsd: number | null;
}
