import type { Turn } from "../session/build-turn.js";
import type { DiffTurn, SessionDiff, TurnPair, TurnPart } from "../session/session-diff.js";
import { alignTurns, type ComparedTurn } from "./diff/align-turns.js";
import { digestTurn } from "./diff/digest-turn.js";

/** One side of a comparison; of its turns only what is compared is kept. */
export interface ComparedSession {
  readonly id: string;
  readonly title: string | null;
  readonly turns: Iterable<Turn>;
}

/** Compares two sessions, or two branches of one, turn by turn: first those with shared records, then those most alike. */
export function diffSessions(a: ComparedSession, b: ComparedSession): SessionDiff {
  const [before, after] = [[...a.turns].map(digestTurn), [...b.turns].map(digestTurn)];
  return {
    a: describeSide(a, before),
    b: describeSide(b, after),
    turns: alignTurns(before, after).map(([left, right]) => comparePair(left?.turn ?? null, right?.turn ?? null)),
  };
}

function describeSide({ id, title }: ComparedSession, turns: readonly ComparedTurn[]): SessionDiff["a"] {
  return { id, title, turns: turns.length, tokens: turns.reduce((sum, { turn }) => sum + turn.tokens, 0) };
}

const PARTS: readonly TurnPart[] = ["prompt", "answer", "tools", "files", "tokens"];

function comparePair(a: DiffTurn | null, b: DiffTurn | null): TurnPair {
  if (!a || !b) return { kind: a ? "onlyA" : "onlyB", a, b, differs: [] };
  const differs = PARTS.filter((part) => JSON.stringify(a[part]) !== JSON.stringify(b[part]));
  return { kind: differs.length === 0 ? "same" : "changed", a, b, differs };
}
