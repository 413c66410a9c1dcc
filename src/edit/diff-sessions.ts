import type { Turn } from "../session/build-turn.js";
import { runSteps } from "../session/run-steps.js";
import type { DiffTurn, SessionDiff, TurnPair, TurnPart } from "../session/session-diff.js";
import { alignTurns, type ComparedTurn, type Pair } from "./diff/align-turns.js";
import { digestTurn } from "./diff/digest-turn.js";

/** One side of a comparison; of its turns only what is compared is kept. */
export interface ComparedSession {
  readonly id: string;
  readonly title: string | null;
  readonly turns: Iterable<Turn>;
}

/** Compares two sessions, or two branches of one, turn by turn: first those with shared records, then those most alike. */
export function diffSessions(a: ComparedSession, b: ComparedSession): SessionDiff {
  return runSteps(diffingSessions(a, b));
}

/** The same, turn by turn, for those who have others to answer in between. */
export function* diffingSessions(a: ComparedSession, b: ComparedSession): Generator<void, SessionDiff> {
  const before = yield* digest(a);
  const after = yield* digest(b);
  const pairs = yield* alignTurns(before, after);
  return {
    a: describeSide(a, before),
    b: describeSide(b, after),
    turns: yield* comparePairs(pairs),
  };
}

function* comparePairs(pairs: readonly Pair[]): Generator<void, TurnPair[]> {
  const compared: TurnPair[] = [];
  for (const [left, right] of pairs) {
    compared.push(comparePair(left?.turn ?? null, right?.turn ?? null));
    yield;
  }
  return compared;
}

function* digest({ turns }: ComparedSession): Generator<void, ComparedTurn[]> {
  const digested: ComparedTurn[] = [];
  for (const turn of turns) {
    digested.push(digestTurn(turn));
    yield;
  }
  return digested;
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
